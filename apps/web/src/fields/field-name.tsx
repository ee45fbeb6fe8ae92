import type { Field } from '@farebox/protocol/fields/field'
import { Fragment, type ReactNode } from 'react'
import { cutText } from '../format/cut-text.ts'
import { TypeShape } from '../signs/type-shape.tsx'

const MOST_TITLE = 80

/**
 * A field by its type and its title, followed by its name in JSON; by its name alone when no title is declared. The title is
 * untrusted text.
 *
 * @param field undefined when the field is not declared, so that its type and title are not known
 */
export function FieldName({
  name,
  field,
}: {
  readonly name: string
  readonly field: Field | undefined
}): ReactNode {
  const title = field?.title?.trim() ?? ''
  const hasTitle = title !== '' && title !== name
  return (
    <span className="field-name">
      {field !== undefined && <TypeShape type={field.type} />}
      <b>
        <bdi>{hasTitle ? cutText(title, MOST_TITLE) : breakable(name)}</bdi>
      </b>
      {hasTitle && (
        <span className="mono small faint">
          <bdi>{breakable(name)}</bdi>
        </span>
      )}
    </span>
  )
}

/** Allows a line break after each underscore of a name instead of within a word. */
function breakable(name: string): ReactNode {
  const parts = name.split(/(?<=_)/)
  if (parts.length === 1) return name
  return parts.map((part, at) => (
    // oxlint-disable-next-line react/no-array-index-key
    <Fragment key={at}>
      {at > 0 && <wbr />}
      {part}
    </Fragment>
  ))
}
