import { basename } from 'node:path'
import { MAX_AGENT_NAME_CHARACTERS } from '@farebox/protocol/limits'
import { DEFAULT_AGENT } from './new-agent.ts'

/** Short enough for a file, a folder of systemd and an image of Docker to be called by it. */
const MAX_PACKAGE_NAME_CHARACTERS = 60

/**
 * A name for `package.json`, the service and the image, made of what an agent is called: `Größte Zahl!` →
 * `grosste-zahl`. Lower-case letters, digits and hyphens alone, the first a letter.
 *
 * @param taken names it must not have: npm installs no package into one of the same name
 */
export function packageName(name: string, taken: readonly string[]): string {
  const plain = name
    .replaceAll('ß', 'ss')
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replace(/^[-0-9]+/, '')
    .slice(0, MAX_PACKAGE_NAME_CHARACTERS)
    .replace(/-+$/, '')
  if (plain === '') return 'agent'
  return taken.includes(plain) || plain === 'node-modules' ? `${plain}-agent` : plain
}

/** What an agent in a folder may be called: `agents/word-counter` → `Word counter`. */
export function agentNameOf(folder: string): string {
  const words = basename(folder)
    .replaceAll(/[-_.\s]+/g, ' ')
    .replaceAll(/\p{C}/gu, '')
    .trim()
  const [first = '', ...rest] = [...words].slice(0, MAX_AGENT_NAME_CHARACTERS)
  return first === '' ? DEFAULT_AGENT.name : first.toUpperCase() + rest.join('')
}
