import type { Field, JsonValue } from '@farebox/protocol/fields/field'
import { useRef, type ClipboardEvent, type KeyboardEvent, type ReactNode } from 'react'
import { emptyValueOf } from './empty-value.ts'
import { asText, type Value } from './field-values.ts'

/**
 * A list of texts or numbers, with a control for each entry. The last control is blank and no entry until something is
 * typed into it. A pasted text of several lines becomes an entry for each line.
 */
export function EntriesInput(props: {
  readonly name: string
  readonly items: Field
  readonly value: Value
  readonly onChange: (value: Value) => void
  readonly isHeld: boolean
  readonly placeholder: string
  readonly isRefused: boolean
  /** The place of the refused entry; undefined: the list as a whole. */
  readonly refusedAt: number | undefined
  readonly onBlur: () => void
  readonly describedBy: string
}): ReactNode {
  const { name, items, value, onChange, isHeld, placeholder, isRefused, refusedAt, onBlur, describedBy } =
    props
  const entries = Array.isArray(value) ? value : []
  const list = useRef<HTMLOListElement>(null)
  const takesEmpty = emptyValueOf(items) !== undefined
  const put = (at: number, ...changed: readonly JsonValue[]): void =>
    onChange([...entries.slice(0, at), ...changed, ...entries.slice(at + 1)])
  const controls = (): HTMLTextAreaElement[] => [...(list.current?.querySelectorAll('textarea') ?? [])]
  const paste = (event: ClipboardEvent<HTMLTextAreaElement>, at: number): void => {
    const pasted = pastedEntries(event.clipboardData.getData('text'))
    if (pasted === undefined) return
    event.preventDefault()
    const { value: text, selectionStart, selectionEnd } = event.currentTarget
    const [first = '', ...more] = pasted
    const before = text.slice(0, selectionStart) + first
    const after = text.slice(selectionEnd)
    const joined =
      more.length === 0 ? [before + after] : [before, ...more.slice(0, -1), `${more.at(-1)}${after}`]
    if (pasted.length > 0) put(at, ...joined)
  }
  const press = (event: KeyboardEvent<HTMLTextAreaElement>, at: number): void => {
    if (event.nativeEvent.isComposing || event.ctrlKey || event.metaKey) return
    // Shift and Enter put a line break into the entry.
    if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault()
      controls()[at + 1]?.focus()
    }
  }
  const leave = (to: EventTarget | null): void => {
    if (to instanceof Node && list.current?.contains(to) === true) return
    // Removed when the focus leaves the list, not before: else the focus would be on another entry.
    const kept = entries.filter(entry => entry !== '' || takesEmpty)
    if (kept.length < entries.length) onChange(kept)
    onBlur()
  }
  const shown: readonly Value[] = [...entries, undefined]
  return (
    <ol className="entries" ref={list} onBlur={event => leave(event.relatedTarget)}>
      {shown.map((entry, at) => (
        // Entries have no names of their own: they are what they are at their place.
        // oxlint-disable-next-line react/no-array-index-key
        <li key={at}>
          <textarea
            className="input"
            rows={asText(entry).split('\n').length}
            disabled={isHeld}
            inputMode={items.type === 'string' ? 'text' : 'decimal'}
            aria-label={entry === undefined ? `${name}, next entry` : `${name} ${at + 1}`}
            aria-invalid={isRefused && (refusedAt === undefined || refusedAt === at)}
            aria-describedby={describedBy}
            placeholder={entry === '' ? 'Empty' : at === 0 ? placeholder : 'Next entry'}
            value={asText(entry)}
            onPaste={event => paste(event, at)}
            onKeyDown={event => press(event, at)}
            onChange={event => put(at, event.target.value)}
          />
          {entry !== undefined && (
            <button
              type="button"
              className="link small"
              disabled={isHeld}
              aria-label={`Remove ${name} ${at + 1}`}
              onClick={() => {
                put(at)
                controls()[at]?.focus()
              }}
            >
              Remove
            </button>
          )}
        </li>
      ))}
    </ol>
  )
}

/** The lines of a pasted text, without blank ones; undefined: it is one line. */
function pastedEntries(text: string): readonly string[] | undefined {
  const lines = text.split(/\r\n|\r|\n/)
  return lines.length < 2 ? undefined : lines.map(line => line.trim()).filter(line => line !== '')
}
