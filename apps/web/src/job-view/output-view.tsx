import type { Field, FieldMap, JsonObject, JsonValue } from '@farebox/protocol/fields/field'
import { useEffect, useMemo, useState, type ReactNode } from 'react'
import { CopyButton } from '../parts/copy-button.tsx'
import { Switch } from '../parts/switch.tsx'
import { FieldName } from '../fields/field-name.tsx'
import { readImage, type ImageFound } from './read-image.ts'
import { cutText } from '../format/cut-text.ts'

const LONG_TEXT = 400
const MOST_ROWS = 50
const MOST_COLUMNS = 12

/**
 * The output of an agent, each field by its type. Text from an agent is rendered as plain text, an image only as an image.
 */
export function OutputView(props: {
  readonly output: JsonObject
  readonly fields: FieldMap
  readonly fileName: string
}): ReactNode {
  const { output, fields, fileName } = props
  const [view, setView] = useState<'table' | 'json'>('table')
  return (
    <>
      <h2 className="with-switch">
        Output
        <Switch
          label="Output view"
          value={view}
          choices={[
            ['table', 'Table'],
            ['json', 'JSON'],
          ]}
          onChange={setView}
        />
      </h2>
      {view === 'json' ? (
        <Json value={output} />
      ) : (
        <OutputFields output={output} fields={fields} fileName={fileName} />
      )}
    </>
  )
}

/** The fields of an output, each by its type, the declared fields first. */
export function OutputFields(props: {
  readonly output: JsonObject
  readonly fields: FieldMap
  readonly fileName: string
  /** Whether it is the main content of the page; images are then large, and every text can be copied. */
  readonly isWhole?: boolean
}): ReactNode {
  const { output, fields, fileName, isWhole = false } = props
  const names = [...new Set([...Object.keys(fields), ...Object.keys(output)])].filter(name =>
    Object.hasOwn(output, name),
  )
  return (
    <dl className={isWhole ? 'output whole' : 'output'}>
      {names.map(name => (
        <OutputField
          key={name}
          name={name}
          field={Object.hasOwn(fields, name) ? fields[name] : undefined}
          value={output[name] ?? null}
          fileName={`${fileName}-${name}`}
          isWhole={isWhole}
        />
      ))}
    </dl>
  )
}

interface FieldProps {
  readonly name: string
  readonly field: Field | undefined
  readonly value: JsonValue
  readonly fileName: string
  readonly isWhole: boolean
}

function OutputField({ name, field, value, fileName, isWhole }: FieldProps): ReactNode {
  const image = useMemo(() => (typeof value === 'string' ? readImage(value) : undefined), [value])
  const isLarge = typeof value === 'number' || typeof value === 'boolean'
  const isShort =
    typeof value === 'string' && image === undefined && value.length <= 60 && !value.includes('\n')
  return (
    <div className={isLarge || isShort ? 'beside' : undefined}>
      <dt>
        <FieldName name={name} field={field} />
        {field?.description !== undefined && (
          <span className="small faint">
            <bdi>{field.description}</bdi>
          </span>
        )}
      </dt>
      <dd className={isLarge ? 'large num' : undefined}>
        {image === undefined ? (
          <Value value={value} isWhole={isWhole} />
        ) : (
          <Image image={image} fileName={fileName} isWhole={isWhole} />
        )}
      </dd>
    </div>
  )
}

function Value({ value, isWhole }: { readonly value: JsonValue; readonly isWhole: boolean }): ReactNode {
  if (typeof value === 'string') return <Text text={value} isCopied={isWhole} />
  if (typeof value === 'number') return String(value)
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (value === null) return <span className="faint">nothing</span>
  if (Array.isArray(value) && value.length === 0) return <span className="faint">none</span>
  if (Array.isArray(value) && value.every(isFlatObject)) return <Table rows={value} />
  if (Array.isArray(value) && value.length <= 200 && value.every(isScalar))
    return (
      <ul className="values">
        {value.map((one, index) => (
          // oxlint-disable-next-line react/no-array-index-key
          <li key={index}>
            <bdi>{String(one)}</bdi>
          </li>
        ))}
      </ul>
    )
  return <Json value={value} />
}

/** Unchanged text, collapsed if it is long. */
function Text({ text, isCopied }: { readonly text: string; readonly isCopied: boolean }): ReactNode {
  const [isOpen, setOpen] = useState(text.length <= LONG_TEXT)
  return (
    <>
      <span className="text">
        <bdi>{isOpen ? text : `${cutText(text, LONG_TEXT)}…`}</bdi>
      </span>
      {(isCopied || text.length > LONG_TEXT) && (
        <span className="row small">
          {text.length > LONG_TEXT && (
            <button type="button" className="link" onClick={() => setOpen(!isOpen)}>
              {isOpen ? 'Show less' : 'Show all'}
            </button>
          )}
          <CopyButton className="link" text={() => text}>
            Copy
          </CopyButton>
        </span>
      )}
    </>
  )
}

function Table({ rows }: { readonly rows: readonly JsonObject[] }): ReactNode {
  const [shown, setShown] = useState(MOST_ROWS)
  const columns = [...new Set(rows.slice(0, 200).flatMap(row => Object.keys(row)))].slice(0, MOST_COLUMNS)
  return (
    <div className={columns.length > 4 ? 'scroll' : undefined}>
      <table className="small">
        <thead>
          <tr>
            {columns.map(column => (
              <th
                key={column}
                scope="col"
                className={typeof rows[0]?.[column] === 'number' ? 'num' : undefined}
              >
                <bdi>{column}</bdi>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, shown).map((row, index) => (
            // oxlint-disable-next-line react/no-array-index-key
            <tr key={index}>
              {columns.map(column => (
                <td key={column} className={typeof row[column] === 'number' ? 'num' : undefined}>
                  <bdi>{Object.hasOwn(row, column) ? cutText(String(row[column]), LONG_TEXT) : ''}</bdi>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > shown && (
        <button type="button" className="link small" onClick={() => setShown(rows.length)}>
          Show all {rows.length} rows
        </button>
      )}
    </div>
  )
}

/** An image from a blob URL: it cannot run scripts or request anything. */
function Image(props: {
  readonly image: ImageFound
  readonly fileName: string
  readonly isWhole: boolean
}): ReactNode {
  const { image, fileName, isWhole } = props
  const [isLarge, setLarge] = useState(false)
  const [url, setUrl] = useState<string>()
  const { type, bytes, ending } = image
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([bytes], { type }))
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [type, bytes])
  if (url === undefined) return <span className="picture" />
  return (
    <>
      {isWhole ? (
        <button
          type="button"
          className="picture as-button"
          aria-expanded={isLarge}
          title={isLarge ? 'Smaller' : 'Larger'}
          onClick={() => setLarge(!isLarge)}
        >
          <img src={url} alt="Image from the agent" />
        </button>
      ) : (
        <span className="picture">
          <img src={url} alt="Image from the agent" />
        </span>
      )}
      <a className="small" href={url} download={`${fileName.replaceAll(/[^\w-]+/g, '-')}.${ending}`}>
        Save
      </a>
    </>
  )
}

function Json({ value }: { readonly value: JsonValue }): ReactNode {
  const text = JSON.stringify(value, null, 2)
  return (
    <>
      <pre className="code" tabIndex={0}>
        {text.length > 20_000 ? `${cutText(text, 20_000)}…` : text}
      </pre>
      <CopyButton className="link small" text={() => text}>
        Copy
      </CopyButton>
    </>
  )
}

function isFlatObject(value: JsonValue): value is JsonObject {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every(isScalar)
  )
}

function isScalar(value: JsonValue): boolean {
  return value === null || typeof value !== 'object'
}

/** The placeholder of an output that has not arrived yet. */
export function OutputToCome({
  fields,
}: {
  readonly fields: { readonly [name: string]: unknown }
}): ReactNode {
  const names = Object.keys(fields)
  return (
    <>
      <h2 className="with-switch">Output</h2>
      <div className="void">
        <b>Nothing yet</b>
        <span>
          <bdi>{names.slice(0, 6).join(', ')}</bdi>
          {names.length > 6 && ` and ${names.length - 6} more`} will appear here.
        </span>
      </div>
    </>
  )
}
