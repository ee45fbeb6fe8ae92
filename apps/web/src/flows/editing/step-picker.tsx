import type { PortRef, Step } from '@farebox/flows/document/flow'
import { useEffect, useId, useRef, useState, type KeyboardEvent, type ReactNode } from 'react'
import type { Join } from '../editor/edit-actions.ts'
import { usePickerOptions, type PickerOption } from './use-picker-options.ts'

/** What can be added: everything, or what fits a wire that was dropped, with how well it fits. */
export function StepPicker(props: {
  readonly join: Join | undefined
  readonly add: (step: Step, port: string | undefined) => void
  /** An input of the flow that asks for what a port takes. */
  readonly ask: (to: PortRef) => void
  /** An output of the flow that gives what a port gives. */
  readonly give: (from: PortRef) => void
}): ReactNode {
  const { join, add, ask, give } = props
  const id = useId()
  const field = useRef<HTMLInputElement>(null)
  // It is opened to type into it.
  useEffect(() => field.current?.focus(), [])
  const [typed, setTyped] = useState('')
  const [chosen, setChosen] = useState(0)
  const { options, isReading, problem, title } = usePickerOptions(join, typed)
  const at = Math.min(chosen, Math.max(options.length - 1, 0))
  const take = (option: PickerOption | undefined): void => {
    if (option === undefined) return
    if (option.what === 'step') add(option.step, option.port)
    else if (join !== undefined && 'to' in join) ask(join.to)
    else if (join !== undefined) give(join.from)
  }
  const press = (event: KeyboardEvent): void => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (by !== undefined && options.length > 0) {
      const next = (at + by + options.length) % options.length
      setChosen(next)
      document.getElementById(`${id}-${next}`)?.scrollIntoView({ block: 'nearest' })
    } else if (event.key === 'Enter') take(options[at])
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <>
      <input
        ref={field}
        className="input"
        role="combobox"
        aria-label={title}
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={options.length === 0 ? undefined : `${id}-${at}`}
        autoComplete="off"
        spellCheck={false}
        placeholder={title}
        value={typed}
        onChange={event => {
          setTyped(event.target.value)
          setChosen(0)
        }}
        onKeyDown={press}
      />
      <ul
        className={isReading ? 'options reading' : 'options'}
        id={`${id}-list`}
        role="listbox"
        aria-label={title}
      >
        {options.map((option, index) => (
          <li
            key={option.key}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === at}
            className={option.isCare ? 'is-care' : undefined}
            onPointerMove={() => setChosen(index)}
            onClick={() => take(option)}
          >
            <span>
              <b>
                <bdi>{option.name}</bdi>
              </b>{' '}
              {option.detail !== '' && (
                <span className="mono quiet">
                  <bdi>{option.detail}</bdi>
                </span>
              )}
            </span>
            <b className="num">{option.price}</b>
            {option.why !== '' && (
              <span className="why">
                <bdi>{option.why}</bdi>
              </span>
            )}
          </li>
        ))}
      </ul>
      <p className="tiny faint" role="status">
        {problem ??
          (options.length === 0
            ? isReading
              ? 'Searching…'
              : 'No compatible steps with that name.'
            : 'Use ↑ ↓ to choose, Enter to add, Esc to close.')}
      </p>
    </>
  )
}
