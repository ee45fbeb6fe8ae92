import type { PickStep, Step } from '@farebox/flows/document/flow'
import type { Field } from '@farebox/protocol/fields/field'
import { useState, type ReactNode } from 'react'
import { writeValuePath } from '../view/describe-step.ts'
import { ChoiceSetting, TextSetting } from './setting-fields.tsx'
import { useWiredField } from './use-wired-field.ts'

/** The most paths that are offered. */
const MOST_OFFERED = 60
const DEEPEST = 3

/** The path of the picked value: one that the schema declares, or one that the reader types. */
export function PickSetting(props: {
  readonly id: string
  readonly step: PickStep
  readonly change: (step: Step) => void
}): ReactNode {
  const { id, step, change } = props
  const incoming = useWiredField({ step: id, port: 'value' })
  const offered = incoming === undefined ? [] : pathsIn(incoming)
  const path = writeValuePath(step.path)
  const isKnown = offered.some(one => writeValuePath(one) === path)
  const [isTyped, setTyped] = useState(!isKnown && step.path.length > 0)
  const pick = (chosen: readonly (string | number)[]): void => {
    const { gives: _, ...rest } = step
    change({ ...rest, path: [...chosen] })
  }
  return (
    <>
      {offered.length > 0 && (
        <ChoiceSetting
          label="Value to take"
          value={isTyped ? 'typed' : isKnown ? path : ''}
          choices={[
            ...(isKnown || isTyped ? [] : [['', 'choose'] as const]),
            ...offered.map(one => [writeValuePath(one), describePath(one)] as const),
            ['typed', 'another path'],
          ]}
          onChange={chosen => {
            setTyped(chosen === 'typed')
            const known = offered.find(one => writeValuePath(one) === chosen)
            if (known !== undefined) pick(known)
          }}
        />
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

/** Parses a typed path. */
function readPath(text: string): readonly (string | number)[] {
  return text
    .split(/[.[\]]+/)
    .filter(part => part !== '')
    .slice(0, 16)
    .map(part => (/^\d{1,6}$/.test(part) ? Number(part) : part))
}

function describePath(path: readonly (string | number)[]): string {
  return path.length === 1 && path[0] === 0 ? 'the first item' : writeValuePath(path)
}

/** The paths within a value that its schema declares. */
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
