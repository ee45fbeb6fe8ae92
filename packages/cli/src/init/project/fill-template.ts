import { readFile } from 'node:fs/promises'

/** The folder is beside `src` and `dist`, and is packed with them. */
const TEMPLATES = new URL('../../../templates/', import.meta.url)

/**
 * Fills a file of `templates/`: each `{{name}}` is replaced by its value. The caller must have escaped the value for its
 * place in code, YAML or Markdown. Placeholders within a value are not replaced.
 *
 * @param name the name without `.template`
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
