import type { Field, FieldMap, JsonObject, JsonValue } from '@farebox/protocol/fields/field'
import type { Locator } from 'playwright-core'
import { paste } from './paste.ts'

/**
 * Fills in a form as a person would: types, chooses, adds rows. Fields that the input does not have are not touched.
 */
export async function fillForm(form: Locator, fields: FieldMap, input: JsonObject): Promise<void> {
  for (const [index, [name, field]] of Object.entries(fields).entries())
    if (Object.hasOwn(input, name))
      await fillField(form.locator(':scope > .field').nth(index), field, input[name] ?? null)
}

async function fillField(row: Locator, field: Field, value: JsonValue): Promise<void> {
  const inside = (selector: string): Locator => row.locator(`:scope > ${selector}`)
  const has = async (selector: string): Promise<boolean> => (await inside(selector).count()) > 0
  if (isEmpty(value) && (await useEmpty(row))) return
  if (await has('.switch')) {
    const at = field.enum === undefined ? (value === true ? 0 : 1) : field.enum.indexOf(value)
    return await inside('.switch').locator('button').nth(at).click()
  }
  if (await has('select')) return void (await inside('select').selectOption(JSON.stringify(value)))
  if (await has('.entries')) return await fillEntries(inside('.entries'), asList(value))
  if (await has('.inside')) return await fillInside(inside('.inside'), field, value)
  if (await has('.stepper')) return await inside('.stepper').locator('input').fill(asText(value))
  if (await has('textarea.mono')) return await inside('textarea.mono').fill(JSON.stringify(value))
  if (await has('textarea')) return await inside('textarea').fill(asText(value))
  await fillLine(inside('input'), asText(value))
}

/** Presses the button for the empty value, which exists while the field has the focus; false if there is none. */
async function useEmpty(row: Locator): Promise<boolean> {
  const button = row
    .locator(':scope > .hint')
    .getByRole('button', { name: /^Use (?:an )?empty/, includeHidden: true })
  if ((await button.count()) === 0) return false
  if (!(await button.isVisible())) await row.locator('input, textarea').first().focus()
  await button.click()
  return true
}

async function fillEntries(list: Locator, entries: readonly JsonValue[]): Promise<void> {
  for (const [at, entry] of entries.entries()) {
    const control = list.locator('textarea').nth(at)
    // Text that is typed and deleted again is an empty entry.
    if (entry === '') await control.fill('x')
    await control.fill(asText(entry))
  }
}

async function fillInside(place: Locator, { properties, items }: Field, value: JsonValue): Promise<void> {
  if (!Array.isArray(value)) return await fillForm(place, properties ?? {}, value as JsonObject)
  for (const [at, row] of value.entries()) {
    await place.locator(':scope > p').getByRole('button', { name: /^Add/ }).click()
    await fillForm(place.locator(':scope > fieldset').nth(at), items?.properties ?? {}, row as JsonObject)
  }
}

/** A keyboard cannot enter line breaks into a line, but pasting can. */
async function fillLine(control: Locator, text: string): Promise<void> {
  if (text.includes('\n')) await paste(control, text)
  else await control.fill(text)
}

function isEmpty(value: JsonValue): boolean {
  return value === '' || (typeof value === 'object' && value !== null && Object.keys(value).length === 0)
}

function asList(value: JsonValue): readonly JsonValue[] {
  return Array.isArray(value) ? value : []
}

function asText(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
