import type { Field } from 'farebox'

/** A `pattern` or `format` with texts that match, and texts that do not. */
export interface TextForm {
  readonly keywords: Pick<Field, 'pattern' | 'format'>
  readonly good: readonly string[]
  readonly bad: readonly string[]
}

/** Patterns and formats whose valid and invalid texts are known without running either. */
export const TEXT_FORMS: readonly TextForm[] = [
  { keywords: { pattern: '^[a-z]+$' }, good: ['a', 'fare'], bad: ['', 'A', 'a1', 'a\n'] },
  { keywords: { pattern: '^\\d{3}$' }, good: ['123', '000'], bad: ['12', '1234', '١٢٣'] },
  { keywords: { pattern: 'fare' }, good: ['fare', 'a farebox'], bad: ['', 'far e'] },
  { keywords: { pattern: '^(?:a+)+$' }, good: ['a', 'aaaa'], bad: [`${'a'.repeat(500)}!`] },
  { keywords: { format: 'date' }, good: ['2026-01-31', '2024-02-29'], bad: ['2026-02-30', '2026-1-1', ''] },
  {
    keywords: { format: 'date-time' },
    good: ['2026-01-31T12:00:00Z', '2026-01-31T12:00:00.5+02:00'],
    bad: ['2026-01-31T12:00:00', '2026-01-31'],
  },
  { keywords: { format: 'email' }, good: ['someone@example.org'], bad: ['someone', '@example.org', 'a@b@c'] },
  { keywords: { format: 'ipv4' }, good: ['192.0.2.1'], bad: ['192.0.2.256', '1.2.3', '01.2.3.4'] },
  {
    keywords: { format: 'uuid' },
    good: ['123e4567-e89b-42d3-a456-426614174000'],
    bad: ['123e4567e89b42d3a456426614174000', ''],
  },
]

/** The form that a field requires, if any. */
export function textFormOf(field: Field): TextForm | undefined {
  if (field.pattern === undefined && field.format === undefined) return undefined
  return TEXT_FORMS.find(
    ({ keywords }) => keywords.pattern === field.pattern && keywords.format === field.format,
  )
}
