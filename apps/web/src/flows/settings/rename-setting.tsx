import type { RenameStep, Step } from '@farebox/flows/document/flow'
import type { ReactNode } from 'react'
import { freeName } from '@farebox/flows/internal/document/free-name'
import { TextSetting } from './setting-fields.tsx'
import { useWiredField } from './use-wired-field.ts'

/** The properties to rename, with their new names. */
export function RenameSetting(props: {
  readonly id: string
  readonly step: RenameStep
  readonly change: (step: Step) => void
}): ReactNode {
  const { id, step, change } = props
  const incoming = useWiredField({ step: id, port: 'object' })
  const known = Object.keys(incoming?.properties ?? {})
  const entries = Object.entries(step.names)
  const put = (changed: readonly (readonly [string, string])[]): void =>
    change({ ...step, names: Object.fromEntries(changed) })
  const free =
    known.find(name => !Object.hasOwn(step.names, name)) ?? freeName(Object.keys(step.names), 'name')
  return (
    <>
      {entries.map(([from, to], index) => (
        // The key is the index, because the name of a line changes with each typed letter.
        // oxlint-disable-next-line react/no-array-index-key
        <div key={index} className="pair">
          <TextSetting
            label="Property"
            value={from}
            most={256}
            onChange={name => put(entries.map((one, at) => (at === index ? [name, to] : one)))}
          />
          <TextSetting
            label="New name"
            value={to}
            most={256}
            onChange={name => put(entries.map((one, at) => (at === index ? [from, name] : one)))}
          />
          <button
            type="button"
            className="link small"
            onClick={() => put(entries.filter((_, at) => at !== index))}
          >
            Remove
          </button>
        </div>
      ))}
      <p>
        <button type="button" className="button low" onClick={() => put([...entries, [free, free]])}>
          Rename {entries.length === 0 ? 'a property' : 'another'}
        </button>
      </p>
    </>
  )
}
