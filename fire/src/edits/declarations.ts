/** A named piece of a source: at the top level of a module, or a function of a migration. */
export interface Declaration {
  readonly name: string
  /** Its start and end in the source. */
  readonly from: number
  readonly to: number
}

/** By the first words of a line: everything at the top level, and named declarations. */
const FORMS = {
  module: {
    begins: /^[a-z/@]/,
    named: /^(?:export )?(?:default )?(?:async )?(?:function\*?|const|let|class) (\w+)/,
  },
  migration: { begins: /^(?:create|alter|drop|--)/, named: /^create (?:or replace )?function (\w+)/ },
} as const

/** The functions, constants and classes of a formatted module, or the functions of a migration, in their order. */
export function declarationsOf(file: string, source: string): readonly Declaration[] {
  const { begins, named } = FORMS[file.endsWith('.sql') ? 'migration' : 'module']
  const found: { name: string; from: number; to: number }[] = []
  let open: (typeof found)[number] | undefined
  let at = 0
  for (const line of source.split(/(?<=\n)/)) {
    if (begins.test(line)) {
      const name = named.exec(line)?.[1]
      open = name === undefined ? undefined : { name, from: at, to: at }
      if (open !== undefined) found.push(open)
    }
    at += line.length
    if (open !== undefined) open.to = at
  }
  return found
}
