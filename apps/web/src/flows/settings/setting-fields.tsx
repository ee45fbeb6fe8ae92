import type { JsonValue } from '@farebox/protocol/fields/field'
import { useId, useState, type ReactNode } from 'react'

interface SettingProps<T> {
  readonly label: string
  readonly value: T
  readonly onChange: (value: T) => void
}

/** One setting: a label above the control, and a line of help or the reason for a refusal below it. */
export function SettingLine(props: {
  readonly label: string
  /** Id of the control; the id of its help is `<id>-hint`. */
  readonly id: string
  readonly hint?: string | undefined
  /** Shown instead of the help. */
  readonly refusal?: string | undefined
  readonly children: ReactNode
}): ReactNode {
  const { label, id, hint, refusal, children } = props
  const below = refusal ?? hint
  return (
    <div className="setting">
      <label htmlFor={id}>{label}</label>
      {children}
      {below !== undefined && (
        <p className={refusal === undefined ? 'hint' : 'hint bad'} id={`${id}-hint`}>
          {below}
        </p>
      )}
    </div>
  )
}

/** A text. A refused text stays in the field but does not become the value. */
export function TextSetting(
  props: SettingProps<string> & {
    readonly most: number
    readonly isEmptyFine?: boolean
    readonly isLong?: boolean
    readonly isMono?: boolean
    readonly hint?: string
  },
): ReactNode {
  const { label, value, onChange, most, isEmptyFine = false, isLong = false, isMono = false, hint } = props
  const id = useId()
  const [draft, setDraft] = useState<string>()
  const refusal =
    draft === undefined
      ? undefined
      : draft === '' && !isEmptyFine
        ? 'must not be empty'
        : `must be at most ${most} characters`
  const shared = {
    id,
    className: isMono ? 'input mono' : 'input',
    value: draft ?? value,
    'aria-invalid': refusal !== undefined,
    'aria-describedby': `${id}-hint`,
    spellCheck: !isMono,
    onBlur: () => setDraft(undefined),
    onChange: ({ target }: { readonly target: { readonly value: string } }): void => {
      const text = target.value
      const isRefused = (text === '' && !isEmptyFine) || text.length > most
      setDraft(isRefused ? text : undefined)
      if (!isRefused) onChange(text)
    },
  }
  return (
    <SettingLine label={label} id={id} hint={hint} refusal={refusal}>
      {isLong ? <textarea rows={3} {...shared} /> : <input type="text" autoComplete="off" {...shared} />}
    </SettingLine>
  )
}

/** A whole number within bounds. Other input stays in the field but does not become the value. */
export function NumberSetting(
  props: SettingProps<number> & { readonly least: number; readonly most: number; readonly isWhole?: boolean },
): ReactNode {
  const { label, value, onChange, least, most, isWhole = true } = props
  const id = useId()
  const [draft, setDraft] = useState<string>()
  const isRefused = draft !== undefined && readNumber(draft, least, most, isWhole) === undefined
  const rule =
    isWhole && Number.isFinite(least) ? `must be a whole number from ${least} to ${most}` : 'must be a number'
  return (
    <SettingLine label={label} id={id} refusal={isRefused ? rule : undefined}>
      <input
        id={id}
        className="input num"
        inputMode={isWhole ? 'numeric' : 'decimal'}
        autoComplete="off"
        value={draft ?? String(value)}
        aria-invalid={isRefused}
        aria-describedby={`${id}-hint`}
        onBlur={() => setDraft(undefined)}
        onChange={({ target }) => {
          setDraft(target.value)
          const number = readNumber(target.value, least, most, isWhole)
          if (number !== undefined) onChange(number)
        }}
      />
    </SettingLine>
  )
}

/** A value of any type: text that parses as JSON becomes that value, other text becomes a string. */
export function ValueSetting({ label, value, onChange }: SettingProps<JsonValue>): ReactNode {
  const id = useId()
  const [draft, setDraft] = useState<string>()
  return (
    <SettingLine label={label} id={id} hint={describeKind(value)}>
      <textarea
        id={id}
        className="input"
        rows={2}
        value={draft ?? writeValue(value)}
        aria-describedby={`${id}-hint`}
        onBlur={() => setDraft(undefined)}
        onChange={({ target }) => {
          setDraft(target.value)
          onChange(readValue(target.value))
        }}
      />
    </SettingLine>
  )
}

/** A choice of one of several values. */
export function ChoiceSetting<Value extends string>(
  props: SettingProps<Value> & { readonly choices: readonly (readonly [value: Value, words: string])[] },
): ReactNode {
  const { label, value, onChange, choices } = props
  const id = useId()
  return (
    <SettingLine label={label} id={id}>
      <select
        id={id}
        className="input"
        value={value}
        onChange={({ target }) => onChange(target.value as Value)}
      >
        {choices.map(([one, words]) => (
          <option key={one} value={one}>
            {words}
          </option>
        ))}
      </select>
    </SettingLine>
  )
}

/** Parses typed text: `12` is a number, `"12"` a string of digits, `hello` a string. */
function readValue(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return text
  }
}

/** Formats a value so that parsing the text returns the same value. */
function writeValue(value: JsonValue): string {
  if (typeof value !== 'string') return JSON.stringify(value, null, 2)
  return readValue(value) === value ? value : JSON.stringify(value)
}

function describeKind(value: JsonValue): string {
  if (value === null) return 'null (no value)'
  if (Array.isArray(value)) return `a list of ${value.length}`
  if (typeof value === 'object') return `an object with ${Object.keys(value).length} properties`
  if (typeof value === 'string') return value === '' ? 'empty text (use JSON for other types)' : 'text'
  return typeof value === 'number' ? 'a number' : 'a boolean'
}

function readNumber(text: string, least: number, most: number, isWhole: boolean): number | undefined {
  if (text.trim() === '') return undefined
  const number = Number(text)
  const isFine = isWhole ? Number.isSafeInteger(number) : Number.isFinite(number)
  return isFine && number >= least && number <= most ? number : undefined
}
