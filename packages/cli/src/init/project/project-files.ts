import type { Declaration } from '@farebox/protocol/declaration/declaration'
import { propertyName, stringLiteral } from '../../types/source-text.ts'
import { typesOf } from '../../types/types-of.ts'
import { fillTemplate } from './fill-template.ts'
import { declarationOf, type NewAgent } from './new-agent.ts'
import { newManifest } from './package-manifest.ts'
import { packageName } from './package-name.ts'
import type { ProjectVersions } from './project-versions.ts'
import { VENDORED_LOCAL_FOLDER } from '../vendor/vendor-folder.ts'
import { readableJson } from './readable-json.ts'

export interface ProjectFile {
  /** Relative to the project's folder. */
  readonly path: string
  readonly text: string
  readonly about: string
}

interface Project {
  readonly agent: NewAgent
  readonly declaration: Declaration
  readonly versions: ProjectVersions
  /** The name of package, service and image. */
  readonly slug: string
}

/**
 * Returns all files of a new project. Names and descriptions are untrusted: every file contains them as text, never as
 * code.
 */
export async function projectFiles(
  agent: NewAgent,
  versions: ProjectVersions,
): Promise<readonly ProjectFile[]> {
  const slug = packageName(agent.name, Object.keys({ ...versions.dependencies, ...versions.devDependencies }))
  const project = { agent, declaration: declarationOf(agent), versions, slug }
  return await Promise.all(
    FILES.map(async ([path, about, write]) => ({
      path: path.replace('{{slug}}', slug),
      about,
      text: await write(project),
    })),
  )
}

type Write = (project: Project) => string | Promise<string>

/** The path, purpose and content of each file, in the order in which they are shown. */
const FILES: readonly (readonly [path: string, about: string, write: Write])[] = [
  ['agent.json', 'what it does, what goes in and out, what it costs', writeConfig],
  ['handlers.ts', 'does it', filled('handlers.ts', ({ agent }) => propertyName(agent.capability))],
  ['agent.d.ts', 'types of the handlers, made from agent.json', ({ declaration }) => typesOf(declaration)],
  ['agent.test.ts', 'npm test', filled('agent.test.ts', ({ agent }) => stringLiteral(agent.capability))],
  ['package.json', 'dependencies and scripts', writeManifest],
  ['tsconfig.json', 'for your editor, and npm run check', filled('tsconfig.json')],
  ['.env.example', 'every variable there is', filled('env.example')],
  ['README.md', 'how to run it, and to be paid', filled('README.md')],
  ['Dockerfile', 'runs it in a container', filled('Dockerfile')],
  ['{{slug}}.service', 'runs it with systemd', filled('agent.service')],
  ['.gitignore', 'keeps .env out of the repository', filled('gitignore')],
  ['.dockerignore', 'keeps .env out of the image', filled('dockerignore')],
]

/** The schema in the installed runtime, with which editors complete and validate `agent.json`. */
const SCHEMA = './node_modules/farebox/agent.schema.json'

function writeConfig({ declaration }: Project): string {
  return readableJson({ $schema: SCHEMA, ...declaration })
}

/** Formatted like npm does, because npm rewrites the file at each installation. */
function writeManifest({ agent, versions, slug }: Project): string {
  return `${JSON.stringify(newManifest(slug, agent.description, versions), undefined, 2)}\n`
}

/** The parts that depend on the source of our packages. */
const PLACES = {
  registry: {
    copyVendor: '',
    ignoreVendor: '',
    vendorRow: '',
    installLocal: 'npm install --save-dev @farebox/local',
  },
  vendor: {
    copyVendor: 'COPY vendor ./vendor\n',
    ignoreVendor: `${VENDORED_LOCAL_FOLDER}\n`,
    vendorRow: '| `vendor/` | Farebox itself, packed from its repository; committed with the rest |\n',
    installLocal: `npm install --save-dev ./${VENDORED_LOCAL_FOLDER}/*.tgz`,
  },
} as const

/** @param capability formats the first capability's name for that file */
function filled(template: string, capability: (project: Project) => string = () => ''): Write {
  return project =>
    fillTemplate(template, {
      ...PLACES[project.versions.source],
      slug: project.slug,
      title: markdownText(project.agent.name),
      description: markdownText(project.agent.description),
      capability: capability(project),
    })
}

/** Formats text for a line of Markdown that shows it unchanged: no markup, no HTML, no second line. */
function markdownText(text: string): string {
  return text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(UNSEEN, '')
    .trim()
    .replaceAll(/[\\`*_[\]<>#&~]/g, String.raw`\$&`)
    .replace(/^(?:[-+=]|\d+(?=[.)]))/, leading => (/\d/.test(leading) ? `${leading}\\` : `\\${leading}`))
}

/** Unicode categories: control, format (except joiners, which words and emoji need), unpaired surrogates, private use. */
const UNSEEN = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}]/gu
