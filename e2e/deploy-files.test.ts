import { execFile, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { FACILITATOR_VARIABLES } from '@farebox/facilitator/src/program/variables'
import { PLATFORM_VARIABLES } from '@farebox/platform/src/program/variables'
import { ENVIRONMENT_VARIABLES } from 'farebox/src/environment/environment-variables'
import { afterAll, describe, expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'

const root = fileURLToPath(new URL('..', import.meta.url))
const deploy = join(root, 'deploy')
const read = (...path: string[]): string => readFileSync(join(deploy, ...path), 'utf8')

/** The variables of each program. */
const KNOWN: { readonly [program: string]: ReadonlySet<string> } = {
  facilitator: new Set(Object.keys(FACILITATOR_VARIABLES)),
  platform: new Set(Object.keys(PLATFORM_VARIABLES)),
  agent: new Set(ENVIRONMENT_VARIABLES.map(({ name }) => name)),
}
const PROGRAMS = Object.keys(KNOWN)

/** Lines of `NAME=value`. */
const namesIn = (text: string): string[] => [...text.matchAll(/^([A-Z_]+)=/gm)].map(([, name = '']) => name)

const folder = mkdtempSync(join(tmpdir(), 'farebox-deploy-'))
afterAll(() => rmSync(folder, { recursive: true }))

describe('Compose', () => {
  const compose = parse(read('compose', 'compose.yaml'), { merge: true }) as {
    readonly services: {
      readonly [name: string]: {
        readonly environment?: { readonly [name: string]: string }
        readonly secrets?: readonly string[]
        readonly deploy?: { readonly replicas: number }
      }
    }
    readonly secrets: { readonly [name: string]: { readonly file: string } }
  }

  test.each(PROGRAMS)('sets only variables that the %s reads, and starts two instances', name => {
    const service = compose.services[name]
    const given = [
      ...Object.keys(service?.environment ?? {}),
      ...namesIn(read('compose', `${name}.env.example`)),
    ]
    expect(given.filter(variable => !KNOWN[name]?.has(variable))).toEqual([])
    expect(new Set(given).size).toBe(given.length)
    expect(service?.deploy?.replicas).toBe(2)
  })

  test('declares every secret that is used, each as a file', () => {
    const used = Object.values(compose.services).flatMap(({ secrets = [] }) => secrets)
    expect([...new Set(used)].sort()).toEqual(Object.keys(compose.secrets).sort())
    for (const { file } of Object.values(compose.secrets)) expect(file).toMatch(/^secrets\//)
  })

  test.runIf(spawnSync('haproxy', ['-v']).status === 0)('has a file that HAProxy accepts', async () => {
    const run = promisify(execFile)
    const [key, certificate] = [join(folder, 'key'), join(folder, 'certificate')]
    const subject = ['-subj', '/CN=agent.internal', '-days', '1']
    await run('openssl', [
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-keyout',
      key,
      '-out',
      certificate,
      ...subject,
    ])
    writeFileSync(`${certificate}.pem`, readFileSync(certificate, 'utf8') + readFileSync(key, 'utf8'))
    const file = join(folder, 'haproxy.cfg')
    writeFileSync(
      file,
      read('compose', 'haproxy.cfg').replace('/run/secrets/agent_certificate', `${certificate}.pem`),
    )
    await run('haproxy', ['-c', '-f', file])
  })
})

describe('Kubernetes', () => {
  const base = parse(read('kubernetes', 'base', 'kustomization.yaml')) as Kustomization
  const overlays = ['staging', 'production']

  test.each(overlays)('the overlay %s sets only variables that the programs read, and no secret', overlay => {
    const more = parse(read('kubernetes', 'overlays', overlay, 'kustomization.yaml')) as Kustomization
    for (const { name, literals } of [...base.configMapGenerator, ...more.configMapGenerator]) {
      const given = namesIn(literals.join('\n'))
      expect(given.filter(variable => !KNOWN[name]?.has(variable))).toEqual([])
      expect(given.filter(variable => /(?<!_URL)(?:KEY|SECRET|TOKEN|DATABASE_URL)$/.test(variable))).toEqual(
        [],
      )
    }
  })

  const isInstalled = rendersKustomize()
  if (!isInstalled) console.log('no kubectl of 1.25 or newer: the overlays of Kustomize are not rendered')

  test.runIf(isInstalled).each(overlays)(
    'the overlay %s is rendered with probes, budgets and policies',
    async overlay => {
      const words = ['kustomize', join(deploy, 'kubernetes', 'overlays', overlay)]
      const { stdout } = await promisify(execFile)('kubectl', words)
      const objects = parseAllDocuments(stdout).map(document => document.toJS() as Rendered)
      const count = (kind: string): number => objects.filter(object => object.kind === kind).length
      expect(
        ['Deployment', 'Service', 'PodDisruptionBudget', 'ConfigMap', 'NetworkPolicy', 'Secret'].map(count),
      ).toEqual([3, 3, 3, 3, 5, 0])
      for (const { kind, metadata, spec } of objects) {
        expect(metadata.namespace).toBe(`farebox-${overlay}`)
        if (kind !== 'Deployment') continue
        expect(spec.replicas).toBeGreaterThan(1)
        const [container] = spec.template.spec.containers
        expect(container?.image).toMatch(/^registry\.example\/(?:farebox|agent):/)
        expect(container?.readinessProbe.httpGet.path).toBe('/ready')
        expect(container?.livenessProbe.httpGet.path).toBe('/health')
        expect(container?.securityContext).toMatchObject({ readOnlyRootFilesystem: true })
      }
    },
  )
})

test('the image has the packages that the facilitator and the platform need, and no others', () => {
  const named = [...read('Dockerfile').matchAll(/\/packed\/farebox-([a-z-]+)-\[0-9\]/g)].map(
    ([, name]) => name,
  )
  const needed = new Set<string>()
  const need = (name: string): void => {
    if (needed.has(name)) return
    needed.add(name)
    const place = existsSync(join(root, 'packages', name)) ? 'packages' : 'apps'
    const manifest = JSON.parse(readFileSync(join(root, place, name, 'package.json'), 'utf8')) as {
      readonly dependencies?: { readonly [name: string]: string }
    }
    for (const dependency of Object.keys(manifest.dependencies ?? {}))
      if (dependency.startsWith('@farebox/')) need(dependency.slice('@farebox/'.length))
  }
  need('facilitator')
  need('platform')
  expect([...named].sort()).toEqual([...needed].sort())
})

test.each(['facilitator', 'platform'])('the unit of the %s passes it its key by a known variable', name => {
  const unit = read('systemd', `farebox-${name}.service`)
  const [, variable = '', credential] = /^Environment=.* ([A-Z_]+)=%d\/([\w-]+)$/m.exec(unit) ?? []
  expect(KNOWN[name]?.has(variable)).toBe(true)
  expect(unit).toContain(`LoadCredential=${credential}:/etc/farebox/${credential}`)
})

interface Kustomization {
  readonly configMapGenerator: readonly { readonly name: string; readonly literals: readonly string[] }[]
}

interface Rendered {
  readonly kind: string
  readonly metadata: { readonly namespace: string }
  readonly spec: {
    readonly replicas: number
    readonly template: {
      readonly spec: {
        readonly containers: readonly {
          readonly image: string
          readonly readinessProbe: { readonly httpGet: { readonly path: string } }
          readonly livenessProbe: { readonly httpGet: { readonly path: string } }
          readonly securityContext: object
        }[]
      }
    }
  }
}

function rendersKustomize(): boolean {
  const { stdout } = spawnSync('kubectl', ['version', '--client', '--output=json'], { encoding: 'utf8' })
  const minor = /"minor": *"(\d+)/.exec(stdout ?? '')?.[1]
  return Number(minor ?? 0) >= 25
}
