import { z, type ZodType } from 'zod'
import { closed } from './check-request.ts'

/** A JSON Schema, or any other object of an OpenAPI document. */
export interface SchemaObject {
  readonly [key: string]: unknown
}

/** Converts Zod schemas to JSON Schema; parts shared by several schemas become components. */
export interface SchemaWriter {
  /** @param owner names parts that only this schema refers to, such as a recursive part without its own name */
  write(schema: ZodType, io: 'input' | 'output', owner: string): SchemaObject
  /** The components that the schemas written so far refer to. */
  readonly components: ReadonlyMap<string, SchemaObject>
}

/**
 * Creates a writer. Request schemas are closed, as they are when a request is validated. Answer schemas are open, because
 * answers may gain fields within a version.
 */
export function createSchemaWriter(): SchemaWriter {
  const components = new Map<string, SchemaObject>()
  return {
    components,
    write(schema, io, owner) {
      const {
        $schema: _,
        $defs = {},
        ...written
      }: SchemaObject = z.toJSONSchema(io === 'input' ? closed(schema) : schema, {
        target: 'draft-2020-12',
        io,
        unrepresentable: 'any',
        override: ({ jsonSchema }) => {
          if (io === 'output' && jsonSchema.additionalProperties === false)
            delete jsonSchema.additionalProperties
        },
      })
      const definitions = Object.entries(asSchemaObject($defs))
      const names = new Map(definitions.map(([name]) => [name, componentName(name, io, owner)]))
      for (const [name, definition] of definitions) {
        // Named definitions are our own schemas, each with one meaning; unnamed ones carry the owner's name, so they cannot
        // collide.
        components.set(names.get(name) ?? name, asSchemaObject(pointed(definition, names)))
      }
      return asSchemaObject(pointed(written, names))
    },
  }
}

function componentName(name: string, io: 'input' | 'output', owner: string): string {
  const own = name.startsWith('__') ? `${owner}${name.slice(2)}` : name
  return io === 'input' ? `${own}Input` : own
}

/** Returns the value with its references to definitions changed to references to components. */
function pointed(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map(item => pointed(item, names))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, part]: [string, unknown]) => {
      const [, name] =
        key === '$ref' && typeof part === 'string' ? (/^#\/\$defs\/(.+)$/.exec(part) ?? []) : []
      return [
        key,
        name === undefined ? pointed(part, names) : `#/components/schemas/${names.get(name) ?? name}`,
      ]
    }),
  )
}

/** The value as a schema object; an empty one when it is not an object. */
export function asSchemaObject(value: unknown): SchemaObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as SchemaObject) : {}
}
