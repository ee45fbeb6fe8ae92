import type { Field, FieldMap, JsonObject, JsonValue } from '../fields/field.ts'

/**
 * The type that a handler receives: fields that are required or have a default are present, the others may be absent. An
 * `enum` declared `as const` narrows its field to the listed values.
 *
 * @example
 * ```ts
 * import type { InferInput } from '@farebox/protocol/translation/infer'
 *
 * const fields = { text: { type: 'string', required: true }, limit: { type: 'integer' } } as const
 *
 * export type Input = InferInput<typeof fields> // { text: string; limit?: number }
 * ```
 */
export type InferInput<F extends FieldMap> = string extends keyof F
  ? JsonObject
  : Flat<
      { -readonly [name in keyof F as F[name] extends AlwaysThere ? name : never]: InputValue<F[name]> } & {
        -readonly [name in keyof F as F[name] extends AlwaysThere ? never : name]?: InputValue<F[name]>
      }
    >

/**
 * The type that a handler must return: every field, except that those with `required: false` may be absent or undefined.
 *
 * @example
 * ```ts
 * import type { InferOutput } from '@farebox/protocol/translation/infer'
 *
 * const fields = { count: { type: 'integer' }, note: { type: 'string', required: false } } as const
 *
 * export type Output = InferOutput<typeof fields> // { count: number; note?: string | undefined }
 * ```
 */
export type InferOutput<F extends FieldMap> = string extends keyof F
  ? JsonObject
  : Flat<
      { -readonly [name in keyof F as F[name] extends MayBeAbsent ? never : name]: OutputValue<F[name]> } & {
        -readonly [name in keyof F as F[name] extends MayBeAbsent ? name : never]?:
          | OutputValue<F[name]>
          | undefined
      }
    >

/**
 * The type that a caller may send: the input before coercion (D19) and defaults. Only required fields must be present, and a
 * number may be sent as text.
 *
 * @example
 * ```ts
 * import type { InferCallerInput } from '@farebox/protocol/translation/infer'
 *
 * const fields = { amount: { type: 'number', required: true } } as const
 *
 * export type Sent = InferCallerInput<typeof fields> // { amount: number | `${number}` }
 * ```
 */
export type InferCallerInput<F extends FieldMap> = string extends keyof F
  ? JsonObject
  : Flat<
      { -readonly [name in keyof F as F[name] extends Required ? name : never]: CallerValue<F[name]> } & {
        -readonly [name in keyof F as F[name] extends Required ? never : name]?: CallerValue<F[name]>
      }
    >

type Required = { readonly required: true }
type MayBeAbsent = { readonly required: false }
type AlwaysThere = Required | { readonly default: JsonValue | readonly JsonValue[] | object }

/** Makes an editor show the fields instead of an intersection. */
type Flat<T> = { [key in keyof T]: T[key] }

type InputValue<F extends Field> = F extends { readonly enum: infer E extends readonly unknown[] }
  ? Writable<E[number]>
  : {
      string: string
      number: number
      integer: number
      boolean: boolean
      array: F extends { readonly items: infer I extends Field } ? InputValue<I>[] : JsonValue[]
      object: F extends { readonly properties: infer P extends FieldMap } ? InferInput<P> : JsonObject
    }[F['type']]

type OutputValue<F extends Field> = F extends { readonly enum: infer E extends readonly unknown[] }
  ? E[number]
  : {
      string: string
      number: number
      integer: number
      boolean: boolean
      array: F extends { readonly items: infer I extends Field }
        ? readonly OutputValue<I>[]
        : readonly JsonValue[]
      object: F extends { readonly properties: infer P extends FieldMap } ? InferOutput<P> : JsonObject
    }[F['type']]

type CallerValue<F extends Field> = F extends { readonly enum: infer E extends readonly unknown[] }
  ? E[number] | Text<E[number]>
  : {
      string: string | number | boolean
      number: number | `${number}`
      integer: number | `${number}`
      boolean: boolean | 'true' | 'false'
      array: F extends { readonly items: infer I extends Field }
        ? readonly CallerValue<I>[]
        : readonly JsonValue[]
      object: F extends { readonly properties: infer P extends FieldMap } ? InferCallerInput<P> : JsonObject
    }[F['type']]

/** A number or boolean of an enum, as the text that is coerced to it. */
type Text<V> = V extends number | boolean ? `${V}` : never

/** `as const` makes the arrays and objects of an enum readonly; the value a handler gets is not. */
type Writable<V> = V extends object ? { -readonly [key in keyof V]: Writable<V[key]> } : V
