import type { Field, JsonValue } from '@farebox/protocol/fields/field'
import { useState, type ReactNode } from 'react'
import { asText, filled, readJson, type Value } from './field-values.ts'

interface LeafProps {
  readonly name: string
  readonly field: Field
  readonly value: Value
  readonly onChange: (value: Value) => void
  readonly isHeld: boolean
  /** What every control of a field carries: its id, its state, what describes it. */
  readonly common: object
}

/** One of few values; pressed again it is taken back, unless one is required. */
export function ChoiceInput(props: {
  readonly choices: readonly (readonly [value: JsonValue, words: string])[]
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
      <button type="button" aria-label={`${name}, less`} disabled={isHeld} onClick={() => step(-1)}>
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
      <button type="button" aria-label={`${name}, more`} disabled={isHeld} onClick={() => step(1)}>
        +
      </button>
    </div>
  )
}

/** What no control is made for, as JSON; a text that is none yet is kept until it is. */
export function JsonInput({ value, onChange, common }: LeafProps): ReactNode {
  const [draft, setDraft] = useState<string>()
  return (
    <textarea
      {...common}
      className="input mono"
      rows={4}
      spellCheck={false}
      placeholder="JSON"
      value={draft ?? (value === undefined ? '' : JSON.stringify(value, null, 2))}
      onChange={event => {
        const text = event.target.value
        const read = text.trim() === '' ? { value: undefined } : readJson(text)
        setDraft(read === undefined ? text : undefined)
        onChange(read === undefined ? text : read.value)
      }}
    />
  )
}
