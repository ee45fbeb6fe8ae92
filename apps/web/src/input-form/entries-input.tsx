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
  /** The index of the refused entry; undefined when the list as a whole is refused. */
  readonly refusedAt: number | undefined
  readonly onBlur: () => void
  readonly describedBy: string
}

/**
 * A list of texts or numbers, with a control for each entry. The last control is blank and becomes an entry when something
 * is typed into it. Pasting several lines creates an entry for each line.
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
    // Blank entries are removed when the focus leaves the list; earlier removal would move the focus to another entry.
    const kept = entries.filter(entry => entry !== '' || takesEmpty)
    if (kept.length < entries.length) onChange(kept)
    onBlur()
  }
  const shown: readonly Value[] = [...entries, undefined]
  return (
    <ol className="entries" ref={list} onBlur={event => leave(event.relatedTarget)}>
      {shown.map((entry, at) => (
        // Entries have no ids, so the key is the position.
        // oxlint-disable-next-line react/no-array-index-key
        <Entry key={at} {...props} entry={entry} at={at} put={put} focus={focus} />
      ))}
    </ol>
  )
}

function Entry(
  props: Props & {
    /** Undefined for the blank control at the end. */
    readonly entry: Value
    readonly at: number
    /** Replaces one entry by the given entries; without entries, removes it. */
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

/** Whether Enter was pressed without a modifier. Shift and Enter insert a line break into the entry. */
function isPlainEnter({ key, nativeEvent, ctrlKey, metaKey, shiftKey }: KeyboardEvent): boolean {
  return key === 'Enter' && !nativeEvent.isComposing && !ctrlKey && !metaKey && !shiftKey
}

/** Splits a pasted text of several lines, and passes on the resulting entries. */
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

/** The non-blank lines of a pasted text; undefined when it has only one line. */
function pastedEntries(text: string): readonly string[] | undefined {
  const lines = text.split(/\r\n|\r|\n/)
  return lines.length < 2 ? undefined : lines.map(line => line.trim()).filter(line => line !== '')
}
