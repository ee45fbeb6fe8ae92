import type { PortRef, Step } from '@farebox/flows/document/flow'
import { useEffect, useId, useRef, useState, type KeyboardEvent, type ReactNode } from 'react'
import type { Join } from '../editor/edit-actions.ts'
import { usePickerOptions, type PickerOption } from './use-picker-options.ts'

/** A list of steps to add: all steps, or those that fit a dropped wire, with how well they fit. */
export function StepPicker(props: {
  readonly join: Join | undefined
  readonly add: (step: Step, port: string | undefined) => void
  /** Adds a flow input that feeds this port. */
  readonly ask: (to: PortRef) => void
  /** Adds a flow output that takes its value from this port. */
  readonly give: (from: PortRef) => void
}): ReactNode {
  const { join, add, ask, give } = props
  const id = useId()
  const [typed, setTyped] = useState('')
  const { options, isReading, problem, title } = usePickerOptions(join, typed)
  const take = (option: PickerOption): void => {
    if (option.what === 'step') add(option.step, option.port)
    else if (join !== undefined && 'to' in join) ask(join.to)
    else if (join !== undefined) give(join.from)
  }
  const { at, choose, press } = useChosenOption(id, options, take)
  return (
    <>
      <SearchField
        title={title}
        list={`${id}-list`}
        chosen={options.length === 0 ? undefined : `${id}-${at}`}
        typed={typed}
        type={text => {
          setTyped(text)
          choose(0)
        }}
        press={press}
      />
      <ul
        className={isReading ? 'options reading' : 'options'}
        id={`${id}-list`}
        role="listbox"
        aria-label={title}
      >
        {options.map((option, index) => (
          <OptionLine
            key={option.key}
            id={`${id}-${index}`}
            of={option}
            isChosen={index === at}
            choose={() => choose(index)}
            take={() => take(option)}
          />
        ))}
      </ul>
      <p className="tiny faint" role="status">
        {problem ?? describeOptions(options.length, isReading)}
      </p>
    </>
  )
}

/** The search field. It has the focus from the start, and keeps it while an option is chosen. */
function SearchField(props: {
  readonly title: string
  /** Id of the list of options. */
  readonly list: string
  /** Id of the chosen option. */
  readonly chosen: string | undefined
  readonly typed: string
  readonly type: (text: string) => void
  readonly press: (event: KeyboardEvent) => void
}): ReactNode {
  const { title, list, chosen, typed, type, press } = props
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])
  return (
    <input
      ref={field}
      className="input"
      role="combobox"
      aria-label={title}
      aria-expanded="true"
      aria-controls={list}
      aria-activedescendant={chosen}
      autoComplete="off"
      spellCheck={false}
      placeholder={title}
      value={typed}
      onChange={({ target }) => type(target.value)}
      onKeyDown={press}
    />
  )
}

/** The highlighted option of a list, and the keys that highlight another one and choose it. */
function useChosenOption(id: string, options: readonly PickerOption[], take: (option: PickerOption) => void) {
  const [chosen, choose] = useState(0)
  const at = Math.min(chosen, Math.max(options.length - 1, 0))
  const press = (event: KeyboardEvent): void => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    const option = options[at]
    if (by !== undefined && options.length > 0) {
      const next = (at + by + options.length) % options.length
      choose(next)
      document.getElementById(`${id}-${next}`)?.scrollIntoView({ block: 'nearest' })
    } else if (event.key !== 'Enter') return
    else if (option !== undefined) take(option)
    event.preventDefault()
    event.stopPropagation()
  }
  return { at, choose, press }
}

function OptionLine(props: {
  readonly id: string
  readonly of: PickerOption
  readonly isChosen: boolean
  readonly choose: () => void
  readonly take: () => void
}): ReactNode {
  const { id, of, isChosen, choose, take } = props
  const { name, detail, price, why, isCare } = of
  return (
    <li
      id={id}
      role="option"
      aria-selected={isChosen}
      className={isCare ? 'is-care' : undefined}
      onPointerMove={choose}
      onClick={take}
    >
      <span>
        <b>
          <bdi>{name}</bdi>
        </b>{' '}
        {detail !== '' && (
          <span className="mono quiet">
            <bdi>{detail}</bdi>
          </span>
        )}
      </span>
      <b className="num">{price}</b>
      {why !== '' && (
        <span className="why">
          <bdi>{why}</bdi>
        </span>
      )}
    </li>
  )
}

function describeOptions(count: number, isReading: boolean): string {
  if (count > 0) return 'Use ↑ ↓ to choose, Enter to add, Esc to close.'
  return isReading ? 'Searching…' : 'No compatible steps with that name.'
}
