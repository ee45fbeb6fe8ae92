import { readFile } from 'node:fs/promises'

/** Beside `src` and `dist`, and packed with them. */
const TEMPLATES = new URL('../../../templates/', import.meta.url)

/**
 * A file of `templates/` with each `{{name}}` replaced by its value. A value is text for the place where it stands: who
 * calls has made it fit to be code, YAML or Markdown. What a value holds is not filled again.
 *
 * @param name without `.template`
 */
export async function fillTemplate(
  name: string,
  values: { readonly [name: string]: string },
): Promise<string> {
  const template = await readFile(new URL(`${name}.template`, TEMPLATES), 'utf8')
  return template.replaceAll(/\{\{(\w+)\}\}/g, (_, key: string) => {
    const value = values[key]
    if (value === undefined) throw new Error(`${name}.template wants {{${key}}}, which it is not given`)
    return value
  })
}
