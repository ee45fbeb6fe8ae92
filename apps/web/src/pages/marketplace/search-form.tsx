import { agentCategories } from '@farebox/platform-api/internal/listing/agent-categories'
import { useState, type ReactNode } from 'react'
import { Sign } from '../../signs/sign.tsx'
import { TypeShape } from '../../signs/type-shape.tsx'
import { fieldTypes, isPrice, searchBadges, SORT_WORDS, type AgentSearch } from './search-query.ts'
import { CATEGORY_WORDS } from '../../format/category.ts'
import { cutText } from '../../format/cut-text.ts'

const PRICES = ['0.001', '0.01', '0.1', '1', '10'] as const

interface Props {
  readonly search: AgentSearch
  readonly change: (search: AgentSearch, when?: 'now' | 'typing') => void
}

/** The search text and the filters. It is an HTML form, so that it works without JavaScript. */
export function SearchForm({ search, change }: Props): ReactNode {
  return (
    <form action="/" method="get" onSubmit={event => event.preventDefault()}>
      <div className="finder" role="search">
        <Sign name="search" />
        <SearchWords search={search} change={change} />
        <kbd aria-hidden="true">/</kbd>
      </div>
      <div className="chips" role="group" aria-label="Filters">
        <CategoryChip search={search} change={change} />
        <PriceChip search={search} change={change} />
        <BadgeChip search={search} change={change} />
        <FieldChip side="takes" words="Takes" search={search} change={change} />
        <FieldChip side="gives" words="Returns" search={search} change={change} />
        <span className="gap" />
        <SortChip search={search} change={change} />
        <noscript>
          <button type="submit" className="button low">
            Search
          </button>
        </noscript>
      </div>
    </form>
  )
}

function SearchWords({ search, change }: Props): ReactNode {
  // A separate state keeps typing independent of the rest of the page.
  const [words, setWords] = useState(search.q ?? '')
  const type = (typed: string): void => {
    setWords(typed)
    const { q: _, ...rest } = search
    change(typed.trim() === '' ? rest : { ...rest, q: cutText(typed.trim(), 200) }, 'typing')
  }
  return (
    <input
      className="input"
      type="search"
      name="q"
      aria-label="Search agents"
      placeholder="What do you need done?"
      autoComplete="off"
      spellCheck={false}
      maxLength={200}
      value={words}
      onChange={event => type(event.target.value)}
    />
  )
}

function CategoryChip({ search, change }: Props): ReactNode {
  const { category } = search
  return (
    <Choice
      name="category"
      label="Category"
      words={category === undefined ? 'Category' : CATEGORY_WORDS[category]}
      value={category}
      choices={agentCategories.map(one => [one, CATEGORY_WORDS[one]] as const)}
      none="any category"
      onChange={chosen => change(without({ ...search, category: chosen }))}
    />
  )
}

function BadgeChip({ search, change }: Props): ReactNode {
  const { badge } = search
  return (
    <Choice
      name="badge"
      label="Badge"
      words={badge === undefined ? 'Badge' : `Badge: ${badge} or higher`}
      value={badge}
      choices={searchBadges.map(one => [one, `${one} or higher`] as const)}
      none="any badge"
      onChange={chosen => change(without({ ...search, badge: chosen }))}
    />
  )
}

function SortChip({ search, change }: Props): ReactNode {
  const standard = search.q === undefined ? 'jobs' : 'relevance'
  const { sort = standard } = search
  return (
    <Choice
      name="sort"
      label="Sort"
      bare
      words={SORT_WORDS[sort]}
      value={sort === standard ? undefined : sort}
      choices={Object.entries(SORT_WORDS).filter(([one]) => one !== standard)}
      none={SORT_WORDS[standard]}
      onChange={chosen => change(without({ ...search, sort: chosen }))}
    />
  )
}

function PriceChip({ search, change }: Props): ReactNode {
  const { max_price: price } = search
  const choices = price === undefined || PRICES.some(one => one === price) ? PRICES : [price, ...PRICES]
  return (
    <Choice
      name="max_price"
      label="Price up to"
      words={price === undefined ? 'Price' : `Price up to ${price}`}
      value={price}
      choices={choices.map(one => [one, `up to ${one} USDC`] as const)}
      none="any price"
      onChange={chosen =>
        change(
          without({ ...search, max_price: chosen !== undefined && isPrice(chosen) ? chosen : undefined }),
        )
      }
    />
  )
}

function FieldChip(props: Props & { readonly side: 'takes' | 'gives'; readonly words: string }): ReactNode {
  const { side, words, search, change } = props
  const value = search[side]
  const type = fieldTypes.find(one => value?.startsWith(`${one}:`) === true)
  const name = value === undefined ? '' : value.slice(value.indexOf(':') + 1)
  return (
    <Choice
      name={side}
      label={words}
      words={
        value === undefined ? (
          words
        ) : (
          <>
            {words} {type !== undefined && <TypeShape type={type} />} {name === '' ? type : name}
          </>
        )
      }
      value={value}
      choices={[
        ...(name === '' || value === undefined ? [] : [[value, `${type ?? 'a field'} ${name}`] as const]),
        ...fieldTypes.map(one => [`${one}:`, article(one)] as const),
      ]}
      none="anything"
      onChange={chosen => change(without({ ...search, [side]: chosen }))}
    />
  )
}

/** A chip that opens a native select. */
function Choice<Value extends string>(props: {
  readonly name: string
  readonly label: string
  readonly words: ReactNode
  readonly value: Value | undefined
  readonly choices: readonly (readonly [value: string, words: string])[]
  readonly none: string
  readonly bare?: boolean
  readonly onChange: (value: Value | undefined) => void
}): ReactNode {
  const { name, label, words, value, choices, none, bare = false, onChange } = props
  const isOn = value !== undefined && !bare
  return (
    <span className="chip-choice">
      <span className={`chip${isOn ? ' on' : ''}${bare ? ' bare' : ''}`} aria-hidden="true">
        {bare && <span className="faint">{label}</span>}
        {words}
        <Sign name="down" />
      </span>
      <select
        name={value === undefined ? undefined : name}
        aria-label={label}
        value={value ?? ''}
        onChange={event => onChange(event.target.value === '' ? undefined : (event.target.value as Value))}
      >
        <option value="">{none}</option>
        {choices.map(([one, text]) => (
          <option key={one} value={one}>
            {text}
          </option>
        ))}
      </select>
    </span>
  )
}

/** A search without its undefined properties, so that the address leaves them out. */
function without(search: {
  readonly [name in keyof AgentSearch]: AgentSearch[name] | undefined
}): AgentSearch {
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined))
}

function article(type: string): string {
  return `${/^[aio]/.test(type) ? 'an' : 'a'} ${type}`
}
