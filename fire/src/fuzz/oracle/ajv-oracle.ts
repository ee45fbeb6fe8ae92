import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { Declaration } from 'farebox'
import { toJsonSchema } from '@farebox/protocol/translation/json-schema'
import type { InputJudge } from './check-course.ts'

/** The expression of ajv-formats without the required dot in the domain: RFC 5321 requires none. */
const EMAIL =
  /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*@[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/i

/** RFC 3339 requires the T and the colon in an offset; ajv-formats does not. */
const RFC_3339 = /^\S+T\S+(?:Z|[+-]\d\d:\d\d)$/i

/** Checks inputs with JSON Schema and an independent validator. */
export function createAjvOracle(declaration: Declaration): InputJudge {
  const ajv = new Ajv2020({ strict: false, strictNumbers: true, ownProperties: true, validateSchema: false })
  addFormats.default(ajv)
  ajv.addFormat('email', EMAIL)
  const isDateTime = ajv.compile({ format: 'iso-date-time' })
  ajv.addFormat('date-time', text => RFC_3339.test(text) && isDateTime(text))
  const validators = new Map(
    Object.entries(declaration.capabilities).map(([name, { input_schema }]) => [
      name,
      ajv.compile(toJsonSchema(input_schema, 'input')),
    ]),
  )
  return (capability, input) => {
    const validate = validators.get(capability)
    if (validate === undefined) return 'a capability nobody declared'
    return validate(input) ? undefined : ajv.errorsText(validate.errors)
  }
}
