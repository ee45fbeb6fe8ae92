import type { Field, JsonValue } from '@farebox/protocol/fields/field'
import { useState, type HTMLAttributes, type ReactNode } from 'react'
import { asText, filled, parseJsonValue, type Value } from './field-values.ts'

interface LeafProps {
  readonly name: string
  readonly field: Field
  readonly value: Value
  readonly onChange: (value: Value) => void
  readonly isHeld: boolean
  /** The attributes of every control of a field: its id, its state, its description. */
  readonly common: LeafCommon
}

interface LeafCommon {
  readonly id: string
  readonly disabled: boolean
  readonly onBlur: () => void
}

/** The values of a field, each with its label. */
type Choices = readonly (readonly [value: JsonValue, words: string])[]

/** One of few values; pressed again it is taken back, unless one is required. */
export function ChoiceInput(props: {
  readonly choices: Choices
  readonly field: Field
  readonly value: Value
  readonly onChange: (value: Value) => void
  readonly isHeld: boolean
  readonly labelledBy: string
}): ReactNode {
  const { choices, field, value, onChange, isHeld, labelledBy } = props
  return (
    <span className="switch words" role="group" aria-labelledby={labelledBy}>
      {choices.map(([one, words]) => (
        <button
          key={words}
          type="button"
          disabled={isHeld}
          aria-pressed={value === one || (value === undefined && field.default === one)}
          onClick={() => onChange(value === one && field.required !== true ? undefined : one)}
        >
          <bdi>{words}</bdi>
        </button>
      ))}
    </span>
  )
}

/** The keyboard for a format. No `type`: the browser would change what is typed. */
const KEYBOARDS: { readonly [format: string]: HTMLAttributes<HTMLElement>['inputMode'] } = {
  uri: 'url',
  email: 'email',
  ipv4: 'decimal',
}

/** The values that the browser's own control for dates can show. */
const SHOWN_DATE = /^(?!0000)\d{4}-\d{2}-\d{2}$/

/**
 * A line of text, or a date. A text with line breaks is shown whole, in an area; a date that the browser's control
 * cannot show is shown as text, because what is sent is what is shown.
 */
export function LineInput(
  props: LeafProps & { readonly placeholder: string; readonly onHalfDate: (isHalf: boolean) => void },
): ReactNode {
  const { field, value, onChange, common, placeholder, onHalfDate } = props
  const text = asText(value)
  if (field.format === 'date' && (text === '' || SHOWN_DATE.test(text)))
    return <DateInput common={common} text={text} onChange={onChange} onHalfDate={onHalfDate} />
  const shared = {
    ...common,
    className: 'input',
    inputMode: KEYBOARDS[field.format ?? ''] ?? 'text',
    placeholder,
    autoComplete: 'off',
    value: text,
  }
  if (/[\r\n]/.test(text))
    return <textarea {...shared} rows={3} onChange={event => onChange(filled(event.target.value))} />
  return (
    <input
      {...shared}
      onChange={event => onChange(filled(event.target.value))}
      onPaste={event => {
        // The browser would drop the line breaks without a word.
        const pasted = event.clipboardData.getData('text').replace(/[\r\n]+$/, '')
        if (!/[\r\n]/.test(pasted)) return
        event.preventDefault()
        const { selectionStart, selectionEnd } = event.currentTarget
        onChange(text.slice(0, selectionStart ?? 0) + pasted + text.slice(selectionEnd ?? 0))
      }}
    />
  )
}

/** The browser's control for dates, which reports half a date as empty. */
function DateInput(props: {
  readonly common: LeafCommon
  readonly text: string
  readonly onChange: (value: Value) => void
  readonly onHalfDate: (isHalf: boolean) => void
}): ReactNode {
  const { common, text, onChange, onHalfDate } = props
  const look = ({ validity }: HTMLInputElement): void => onHalfDate(validity.badInput)
  return (
    <input
      {...common}
      className="input"
      type="date"
      value={text}
      onBlur={event => {
        look(event.currentTarget)
        common.onBlur()
      }}
      onInvalid={event => {
        event.preventDefault()
        look(event.currentTarget)
      }}
      onChange={event => {
        look(event.currentTarget)
        onChange(filled(event.target.value))
      }}
    />
  )
}

/** A text of several lines. */
export function AreaInput({
  value,
  onChange,
  common,
  placeholder,
}: LeafProps & { readonly placeholder: string }): ReactNode {
  return (
    <textarea
      {...common}
      className="input"
      rows={4}
      placeholder={placeholder}
      value={asText(value)}
      onChange={event => onChange(filled(event.target.value))}
    />
  )
}

/** One of many values, in the browser's list. */
export function ListInput({
  field,
  value,
  onChange,
  common,
  choices,
}: LeafProps & { readonly choices: Choices }): ReactNode {
  return (
    <select
      {...common}
      className="input"
      value={value === undefined ? '' : JSON.stringify(value)}
      onChange={event =>
        onChange(event.target.value === '' ? undefined : (JSON.parse(event.target.value) as JsonValue))
      }
    >
      <option value="">{field.default === undefined ? 'Choose' : `Default: ${String(field.default)}`}</option>
      {choices.map(([one, words]) => (
        <option key={words} value={JSON.stringify(one)}>
          {words}
        </option>
      ))}
    </select>
  )
}

/** A number with two buttons. What is typed stays text: the check reads it as the agent would. */
export function NumberInput(props: LeafProps & { readonly placeholder: string }): ReactNode {
  const { name, field, value, onChange, common, placeholder, isHeld } = props
  const step = (by: number): void => {
    const from = Number(value ?? field.default ?? field.minimum ?? 0)
    const to = Math.min(
      Math.max((Number.isFinite(from) ? from : 0) + by, field.minimum ?? -Infinity),
      field.maximum ?? Infinity,
    )
    onChange(String(to))
  }
  return (
    <div className="stepper">
      <button type="button" aria-label={`Decrease ${name}`} disabled={isHeld} onClick={() => step(-1)}>
        −
      </button>
      <input
        {...common}
        className="input num"
        inputMode={field.type === 'integer' ? 'numeric' : 'decimal'}
        autoComplete="off"
        placeholder={placeholder}
        value={asText(value)}
        onChange={event => onChange(filled(event.target.value))}
      />
      <button type="button" aria-label={`Increase ${name}`} disabled={isHeld} onClick={() => step(1)}>
        +
      </button>
    </div>
  )
}

/** A value without a control of its own, as JSON. The typed text stays until the value changes from outside. */
export function JsonInput({ value, onChange, common }: LeafProps): ReactNode {
  const [typed, setTyped] = useState<{ readonly text: string; readonly of: string | undefined }>()
  const written = value === undefined ? '' : JSON.stringify(value, null, 2)
  return (
    <textarea
      {...common}
      className="input mono"
      rows={4}
      spellCheck={false}
      placeholder="JSON"
      value={typed !== undefined && typed.of === JSON.stringify(value) ? typed.text : written}
      onChange={event => {
        const text = event.target.value
        // A text that is not JSON yet is kept as the value, so that the check refuses it.
        const changed = text.trim() === '' ? undefined : (parseJsonValue(text) ?? { value: text }).value
        setTyped({ text, of: JSON.stringify(changed) })
        onChange(changed)
      }}
    />
  )
}
