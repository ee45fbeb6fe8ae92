import type { FieldMap, JsonObject, JsonValue } from '@farebox/protocol/fields/field'
import { useMemo, type ReactNode } from 'react'
import { describeValue } from '../../../flows/describe/describe-value.ts'
import { OutputFields } from '../../../job-view/output-view.tsx'
import { readImage } from '../../../job-view/read-image.ts'
import { Words } from '../../../parts/words.tsx'

/** The length up to which a value is shown in full on one line. */
const MOST_WHOLE = 160
const MOST_BRIEF = 240

/** The input and the output of a step, each on a line that can be opened; and its error. */
export function IoRows(props: {
  readonly input?: { readonly values: JsonObject; readonly fields: FieldMap }
  readonly output?: { readonly values: JsonObject; readonly fields: FieldMap }
  /** The message of the agent or of the platform. */
  readonly error?: string
  /** The base name of saved files. */
  readonly fileName: string
  /** Whether the output is also shown elsewhere; images are then collapsed here. */
  readonly isFolded?: boolean
}): ReactNode {
  const { input, output, error, fileName, isFolded = false } = props
  const hasInput = input !== undefined && Object.keys(input.values).length > 0
  const hasOutput = output !== undefined && Object.keys(output.values).length > 0
  if (!hasInput && !hasOutput && error === undefined) return null
  return (
    <dl className="io">
      {error !== undefined && (
        <>
          <dt>error</dt>
          <dd className="brief">
            <Words of={error} most={600} />
          </dd>
        </>
      )}
      {hasInput && <IoRow word="in" {...input} fileName={fileName} isFolded />}
      {hasOutput && <IoRow word="out" {...output} fileName={fileName} isFolded={isFolded} />}
    </dl>
  )
}

function IoRow(props: {
  readonly word: string
  readonly values: JsonObject
  readonly fields: FieldMap
  readonly fileName: string
  readonly isFolded: boolean
}): ReactNode {
  const { word, values, fields, fileName, isFolded } = props
  const { text, isWhole, hasImage } = useMemo(() => brief(values), [values])
  return (
    <>
      <dt>{word}</dt>
      <dd>
        {isWhole ? (
          <span className="brief">
            <Words of={text} most={MOST_BRIEF} />
          </span>
        ) : (
          <details open={hasImage && !isFolded}>
            <summary>
              <Words of={text} most={MOST_BRIEF} />
            </summary>
            <OutputFields output={values} fields={fields} fileName={fileName} />
          </details>
        )}
      </dd>
    </>
  )
}

function brief(values: JsonObject): {
  readonly text: string
  readonly isWhole: boolean
  readonly hasImage: boolean
} {
  const entries = Object.entries(values)
  const images = new Set(entries.filter(([, value]) => isImage(value)).map(([name]) => name))
  const text = entries
    .map(([name, value]) => (images.has(name) ? `${name} an image` : `${name} ${describeValue(value)}`))
    .join(', ')
  const isWhole =
    text.length <= MOST_WHOLE && images.size === 0 && entries.every(([, value]) => isShort(value))
  return { text, isWhole, hasImage: images.size > 0 }
}

function isImage(value: JsonValue): boolean {
  return typeof value === 'string' && readImage(value) !== undefined
}

function isShort(value: JsonValue): boolean {
  if (typeof value === 'string') return value.length <= 60 && !value.includes('\n')
  return typeof value !== 'object' || value === null
}
