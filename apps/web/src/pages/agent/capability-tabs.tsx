import { useEffect, type ReactNode } from 'react'
import { Words } from '../../parts/words.tsx'
import { useSite } from '../../site/site.ts'
import { readSpendDeclaration } from '../../limits/spend-declaration.ts'

/** With more capabilities than this, a select is shown instead of tabs. */
const MOST_TABS = 5

/** The parts of a capability that a tab shows. */
interface TabbedCapability {
  readonly name: string
  readonly description: string
  /** Decimal USDC. */
  readonly price: string
  /** The permissions of the declaration; without them, the capability moves no tokens of its callers. */
  readonly permissions?: readonly { readonly [key: string]: unknown }[]
}

/** The capabilities of an agent with their prices, one of them selected. `Alt 1` to `Alt 9` select too. */
export function CapabilityTabs(props: {
  readonly capabilities: readonly TabbedCapability[]
  readonly chosen: string
  readonly choose: (name: string) => void
}): ReactNode {
  const { capabilities, chosen, choose } = props
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const capability = /^Digit[1-9]$/.test(event.code)
        ? capabilities[Number(event.code.slice(5)) - 1]
        : undefined
      if (!event.altKey || capability === undefined) return
      event.preventDefault()
      choose(capability.name)
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [capabilities, choose])
  if (capabilities.length > MOST_TABS) return <CapabilitySelect {...props} />
  return (
    <nav className="capabilities" aria-label="Capability">
      {capabilities.map(capability => (
        <CapabilityTab
          key={capability.name}
          capability={capability}
          isChosen={capability.name === chosen}
          choose={choose}
        />
      ))}
    </nav>
  )
}

function CapabilitySelect(props: {
  readonly capabilities: readonly TabbedCapability[]
  readonly chosen: string
  readonly choose: (name: string) => void
}): ReactNode {
  const { capabilities, chosen, choose } = props
  return (
    <p className="field">
      <label className="label" htmlFor="capability">
        <b>Capability</b>
        <span className="end">{capabilities.length} available</span>
      </label>
      <select id="capability" className="input" value={chosen} onChange={event => choose(event.target.value)}>
        {capabilities.map(({ name, price }) => (
          <option key={name} value={name}>
            {name}, {price} USDC
          </option>
        ))}
      </select>
    </p>
  )
}

function CapabilityTab(props: {
  readonly capability: TabbedCapability
  readonly isChosen: boolean
  readonly choose: (name: string) => void
}): ReactNode {
  const { capability, isChosen, choose } = props
  const { name, description, price, permissions = [] } = capability
  return (
    <a
      href={`?capability=${encodeURIComponent(name)}`}
      aria-current={isChosen ? 'true' : undefined}
      onClick={event => {
        if (event.metaKey || event.ctrlKey || event.shiftKey) return
        event.preventDefault()
        choose(name)
      }}
    >
      <span className="mono">
        <bdi>{name}</bdi>
      </span>
      <span className="num">{price} USDC</span>
      {permissions.length > 0 && <MovesTag permissions={permissions} />}
      <small>
        <Words of={description} most={120} />
      </small>
    </a>
  )
}

/** A tag on the price of a capability that moves tokens of its caller; renders nothing for other capabilities (PERM-06). */
function MovesTag(props: {
  readonly permissions: readonly { readonly [key: string]: unknown }[]
}): ReactNode {
  const { platform } = useSite()
  if (platform.spend_permissions_address === null || readSpendDeclaration(props.permissions) === undefined)
    return null
  return <span className="tag warn">moves your USDC</span>
}
