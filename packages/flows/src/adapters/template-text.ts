/** A parsed template: a sequence of texts and input names. */
export type TemplatePart = { readonly text: string } | { readonly name: string }

/** The parts of a template, or its error. */
export type TemplateResult =
  | { readonly ok: true; readonly parts: readonly TemplatePart[] }
  | { readonly ok: false; readonly reason: string }

const NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/

/** Parses a template: `{name}` is an input, `{{` and `}}` are braces. */
export function parseTemplate(text: string): TemplateResult {
  const parts: TemplatePart[] = []
  let literal = ''
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at]
    if ((character === '{' || character === '}') && text[at + 1] === character) {
      literal += character
      at += 1
    } else if (character === '}') {
      return refuse(`has a } at character ${at + 1} that nothing opened; write }} for a brace`)
    } else if (character === '{') {
      const end = text.indexOf('}', at)
      const name = end === -1 ? '' : text.slice(at + 1, end)
      if (end === -1) return refuse(`has a { at character ${at + 1} that is not closed; write {{ for a brace`)
      if (!NAME.test(name))
        return refuse(
          `has {${name.slice(0, 64)}}: the name of an input begins with a letter and has letters, digits, - and _`,
        )
      if (literal !== '') parts.push({ text: literal })
      literal = ''
      parts.push({ name })
      at = end
    } else {
      literal += character
    }
  }
  if (literal !== '') parts.push({ text: literal })
  return { ok: true, parts }
}

/** The names of a template's inputs, each once, in the order of the text; empty for an invalid template. */
export function namesOfTemplate(text: string): readonly string[] {
  const parsed = parseTemplate(text)
  if (!parsed.ok) return []
  return [...new Set(parsed.parts.flatMap(part => ('name' in part ? [part.name] : [])))]
}

function refuse(reason: string): TemplateResult {
  return { ok: false, reason }
}
