import type { Field, JsonValue } from '@farebox/protocol/fields/field'
import { useState, type HTMLAttributes, type ReactNode } from 'react'
import { asText, filled, parseJsonValue, type Value } from './field-values.ts'

interface LeafProps {
  readonly name: string
  readonly field: Field
  readonly value: Value
  readonly onChange: (value: Value) => void
  readonly isHeld: boolean
  /** The attributes shared by every control of a field: its id, its state, its description. */
  readonly common: LeafCommon
}

interface LeafCommon {
  readonly id: string
  readonly disabled: boolean
  readonly onBlur: () => void
}

/** The values of a field, each with its label. */
type Choices = readonly (readonly [value: JsonValue, words: string])[]

/** A choice among few values. Pressing the chosen one again clears it, unless a value is required. */
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

/** The virtual keyboard for a format. `type` is not set, because the browser would then alter the typed text. */
const KEYBOARDS: { readonly [format: string]: HTMLAttributes<HTMLElement>['inputMode'] } = {
  uri: 'url',
  email: 'email',
  ipv4: 'decimal',
}

/** Matches the dates that the native date control can display. */
const SHOWN_DATE = /^(?!0000)\d{4}-\d{2}-\d{2}$/

/**
 * A line of text, or a date. A text with line breaks is shown in full in a text area. A date that the native control cannot
 * display is shown as text, so that the displayed value is always the one that is sent.
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
        // The browser would silently remove the line breaks.
        const pasted = event.clipboardData.getData('text').replace(/[\r\n]+$/, '')
        if (!/[\r\n]/.test(pasted)) return
        event.preventDefault()
        const { selectionStart, selectionEnd } = event.currentTarget
        onChange(text.slice(0, selectionStart ?? 0) + pasted + text.slice(selectionEnd ?? 0))
      }}
    />
  )
}

/** The native date control, which reports an incomplete date as empty. */
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

/** A choice among many values, in a native select. */
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

/** A number with two step buttons. The typed value stays text, and the check parses it as the agent would. */
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

/** A value without a special control, edited as JSON. The typed text stays until the value changes from outside. */
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
        // Text that is not valid JSON yet is stored as the value, so that the check refuses it.
        const changed = text.trim() === '' ? undefined : (parseJsonValue(text) ?? { value: text }).value
        setTyped({ text, of: JSON.stringify(changed) })
        onChange(changed)
      }}
    />
  )
}
