import type { ReactNode } from 'react'

/** A choice of one of few values, all of them visible. */
export function Switch<Value extends string>(props: {
  readonly label: string
  readonly value: Value
  readonly choices: readonly (readonly [value: Value, words: string])[]
  readonly onChange: (value: Value) => void
}): ReactNode {
  return (
    <span className="switch" role="group" aria-label={props.label}>
      {props.choices.map(([value, words]) => (
        <button
          key={value}
          type="button"
          aria-pressed={value === props.value}
          onClick={() => props.onChange(value)}
        >
          {words}
        </button>
      ))}
    </span>
  )
}
