import { useEffect, useEffectEvent } from 'react'
import { areLettersOn, PLACES } from './key-names.ts'

/** How long `g` waits for its letter. */
const PREFIX_MS = 1_500
/** How long to wait for the search field of another page. */
const ARRIVAL_MS = 5_000

/** The actions of the keys that work on every page. */
export interface KeyActions {
  readonly go: (url: string) => void
  readonly openCommands: () => void
  readonly openList: () => void
}

/** Handles the keys that work on every page. In a field, and while a sheet is open, letters are ordinary text. */
export function useKeys(actions: KeyActions): void {
  const openCommands = useEffectEvent(actions.openCommands)
  const openList = useEffectEvent(actions.openList)
  const go = useEffectEvent(actions.go)
  useEffect(() => {
    let prefixedAt = -Infinity
    const press = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.isComposing || document.querySelector('dialog[open]') !== null)
        return
      const { key } = event
      if (isCommand(event)) {
        event.preventDefault()
        return openCommands()
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isField(event.target) || !areLettersOn()) return
      const place = event.timeStamp - prefixedAt < PREFIX_MS && PLACES.find(one => one.key === key)
      prefixedAt = key === 'g' ? event.timeStamp : -Infinity
      if (place) go(place.url)
      else if (key === '/') focusSearch(go)
      else if (key === '?') openList()
      else if (key === 'j' || key === 'k') focusRow(key === 'j' ? 1 : -1)
      else return
      event.preventDefault()
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [])
}

function isCommand({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): boolean {
  return key.toLowerCase() === 'k' && (ctrlKey || metaKey) && !altKey && !shiftKey
}

function isField(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]')
}

function focusSearch(go: (url: string) => void): void {
  const until = performance.now() + ARRIVAL_MS
  const focus = (): boolean => {
    const field = document.querySelector<HTMLInputElement>('input[type="search"]')
    field?.focus()
    return field !== null
  }
  const focusOnceThere = (): void => {
    if (!focus() && performance.now() < until) requestAnimationFrame(focusOnceThere)
  }
  if (focus()) return
  go('/')
  requestAnimationFrame(focusOnceThere)
}

/** Moves the focus by one row in the list of the page, to the link that opens the row. */
function focusRow(by: 1 | -1): void {
  const rows = Array.from(document.querySelectorAll<HTMLElement>('main :is(li.entry, tbody tr)'))
  const links = rows.flatMap(row => row.querySelector<HTMLElement>('a[href]') ?? [])
  const at = links.findIndex(link => link.closest('li.entry, tr')?.contains(document.activeElement))
  const next = at === -1 ? (by === 1 ? 0 : links.length - 1) : at + by
  links[Math.min(Math.max(next, 0), links.length - 1)]?.focus()
}
