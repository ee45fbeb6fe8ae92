import type { PickStep, Step } from '@farebox/flows/document/flow'
import type { Field } from '@farebox/protocol/fields/field'
import { useState, type ReactNode } from 'react'
import { writePath } from '../view/describe-step.ts'
import { TextSetting } from './setting-fields.tsx'
import { useFlowView } from '../editor/use-editor.ts'

/** Paths that are offered at most. */
const MOST_OFFERED = 60
const DEEPEST = 3

/** Which value is taken: one of those that the schema has, or a path that is typed. */
export function PickSetting(props: {
  readonly id: string
  readonly step: PickStep
  readonly change: (step: Step) => void
}): ReactNode {
  const { id, step, change } = props
  const incoming = useFlowView(({ graph }) => {
    const wire = graph.wireTo({ step: id, port: 'value' })
    return wire && graph.outputsOf(wire.from.step).find(({ name }) => name === wire.from.port)?.type
  })
  const offered = incoming === undefined || incoming === 'any' ? [] : pathsIn(incoming)
  const path = writePath(step.path)
  const isKnown = offered.some(one => writePath(one) === path)
  const [isTyped, setTyped] = useState(!isKnown && step.path.length > 0)
  const pick = (chosen: readonly (string | number)[]): void => {
    const { gives: _, ...rest } = step
    change({ ...rest, path: [...chosen] })
  }
  return (
    <>
      {offered.length > 0 && (
        <div className="setting">
          <label htmlFor={`${id}-path`}>Value to take</label>
          <select
            id={`${id}-path`}
            className="input"
            value={isTyped ? 'typed' : isKnown ? path : ''}
            onChange={({ target }) => {
              setTyped(target.value === 'typed')
              const chosen = offered.find(one => writePath(one) === target.value)
              if (chosen !== undefined) pick(chosen)
            }}
          >
            {!isKnown && !isTyped && <option value="">choose</option>}
            {offered.map(one => (
              <option key={writePath(one)} value={writePath(one)}>
                {describePath(one)}
              </option>
            ))}
            <option value="typed">another path</option>
          </select>
        </div>
      )}
      {(isTyped || offered.length === 0) && (
        <TextSetting
          label="Path"
          value={path}
          most={400}
          isMono
          hint="For example, links[0].url. Use property names, and number items from 0."
          onChange={text => pick(readPath(text))}
        />
      )}
    </>
  )
}

/** What is typed as a path. */
function readPath(text: string): readonly (string | number)[] {
  return text
    .split(/[.[\]]+/)
    .filter(part => part !== '')
    .slice(0, 16)
    .map(part => (/^\d{1,6}$/.test(part) ? Number(part) : part))
}

function describePath(path: readonly (string | number)[]): string {
  return path.length === 1 && path[0] === 0 ? 'the first item' : writePath(path)
}

/** Places within a value, as its schema says them. */
function pathsIn(field: Field): readonly (readonly (string | number)[])[] {
  const found: (readonly (string | number)[])[] = []
  const walk = ({ type, items, properties }: Field, path: readonly (string | number)[]): void => {
    if (path.length === DEEPEST || found.length >= MOST_OFFERED) return
    const inner: readonly (readonly [string | number, Field | undefined])[] =
      type === 'array' ? [[0, items]] : Object.entries(properties ?? {})
    for (const [part, one] of inner) {
      found.push([...path, part])
      if (one !== undefined) walk(one, [...path, part])
    }
  }
  walk(field, [])
  return found.slice(0, MOST_OFFERED)
}
