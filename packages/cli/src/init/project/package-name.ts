import { basename } from 'node:path'
import { MAX_AGENT_NAME_CHARACTERS } from '@farebox/protocol/limits'
import { DEFAULT_AGENT } from './new-agent.ts'

/** Short enough for the names of a file, a systemd folder and a Docker image. */
const MAX_PACKAGE_NAME_CHARACTERS = 60

/**
 * Derives a name for `package.json`, the service and the image from the agent's name: `Größte Zahl!` → `grosste-zahl`. It
 * has only lower-case letters, digits and hyphens, and begins with a letter.
 *
 * @param taken names it must not have, because npm does not install a package into one with the same name
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

/** Derives an agent's name from its folder: `agents/word-counter` → `Word counter`. */
export function agentNameOf(folder: string): string {
  const words = basename(folder)
    .replaceAll(/[-_.\s]+/g, ' ')
    .replaceAll(/\p{C}/gu, '')
    .trim()
  const [first = '', ...rest] = [...words].slice(0, MAX_AGENT_NAME_CHARACTERS)
  return first === '' ? DEFAULT_AGENT.name : first.toUpperCase() + rest.join('')
}
