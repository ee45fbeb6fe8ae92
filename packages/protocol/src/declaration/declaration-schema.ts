import type { JsonObject } from '../fields/field.ts'
import { fieldDefinitions } from '../field-rules/field-schema.ts'
import { DECLARATION } from './declaration-rules.ts'

/**
 * The JSON Schema of `agent.json`, for editors: completion, hover text, and the forms that `checkDeclaration` requires, from
 * the same rules. Only the check finds what a schema cannot express (contradicting bounds, a default that its own field
 * refuses, duplicate keys): the schema accepts everything that the check accepts.
 *
 * Written in draft-07, the newest version of which common editors support every keyword used here.
 *
 * @example
 * ```ts
 * import { writeFile } from 'node:fs/promises'
 * import { declarationSchema } from '@farebox/protocol/declaration/declaration-schema'
 *
 * await writeFile('agent.schema.json', JSON.stringify(declarationSchema(), undefined, 2))
 * ```
 */
export function declarationSchema(): JsonObject {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'agent.json',
    description: 'An agent: who it is, what it can do, what goes in, what comes out, what it costs.',
    ...DECLARATION.schema,
    definitions: fieldDefinitions(),
  }
}
