import type { Field, JsonValue } from '@farebox/protocol/fields/field'
import { useRef, type ClipboardEvent, type KeyboardEvent, type ReactNode } from 'react'
import { emptyValueOf } from './empty-value.ts'
import { asText, type Value } from './field-values.ts'

interface Props {
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
}

/**
 * A list of texts or numbers, with a control for each entry. The last control is blank and no entry until something is
 * typed into it. A pasted text of several lines becomes an entry for each line.
 */
export function EntriesInput(props: Props): ReactNode {
  const { items, value, onChange, onBlur } = props
  const entries = Array.isArray(value) ? value : []
  const list = useRef<HTMLOListElement>(null)
  const takesEmpty = emptyValueOf(items) !== undefined
  const put = (at: number, ...changed: readonly JsonValue[]): void =>
    onChange([...entries.slice(0, at), ...changed, ...entries.slice(at + 1)])
  const focus = (at: number): void => list.current?.querySelectorAll('textarea')[at]?.focus()
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
        <Entry key={at} {...props} entry={entry} at={at} put={put} focus={focus} />
      ))}
    </ol>
  )
}

function Entry(
  props: Props & {
    /** Undefined: the blank control at the end. */
    readonly entry: Value
    readonly at: number
    /** Puts entries in the place of one; none: removes it. */
    readonly put: (at: number, ...changed: readonly JsonValue[]) => void
    readonly focus: (at: number) => void
  },
): ReactNode {
  const { name, items, isHeld, placeholder, isRefused, refusedAt, describedBy, entry, at, put, focus } = props
  return (
    <li>
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
        onPaste={event => paste(event, lines => put(at, ...lines))}
        onKeyDown={event => {
          if (!isPlainEnter(event)) return
          event.preventDefault()
          focus(at + 1)
        }}
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
            focus(at)
          }}
        >
          Remove
        </button>
      )}
    </li>
  )
}

/** Enter alone. Shift and Enter put a line break into the entry. */
function isPlainEnter({ key, nativeEvent, ctrlKey, metaKey, shiftKey }: KeyboardEvent): boolean {
  return key === 'Enter' && !nativeEvent.isComposing && !ctrlKey && !metaKey && !shiftKey
}

/** Gives the entries that a pasted text of several lines makes of the one that it is pasted into. */
function paste(event: ClipboardEvent<HTMLTextAreaElement>, give: (entries: readonly string[]) => void): void {
  const pasted = pastedEntries(event.clipboardData.getData('text'))
  if (pasted === undefined) return
  event.preventDefault()
  const { value: text, selectionStart, selectionEnd } = event.currentTarget
  const [first = '', ...more] = pasted
  const before = text.slice(0, selectionStart) + first
  const after = text.slice(selectionEnd)
  const last = more.at(-1)
  if (pasted.length > 0)
    give(last === undefined ? [before + after] : [before, ...more.slice(0, -1), `${last}${after}`])
}

/** The lines of a pasted text, without blank ones; undefined: it is one line. */
function pastedEntries(text: string): readonly string[] | undefined {
  const lines = text.split(/\r\n|\r|\n/)
  return lines.length < 2 ? undefined : lines.map(line => line.trim()).filter(line => line !== '')
}
