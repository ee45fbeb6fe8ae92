import { execFile, spawn } from 'node:child_process'
import { createReadStream, existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { basename, dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { serve } from '../serve.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** An npm registry on 127.0.0.1, with our packages as published and all packages that are installed here. */
export interface NpmRegistry {
  readonly url: string
  /**
   * Missing resources that were requested, as `GET /name`. npm tolerates this for optional packages, for its audit and
   * for its update check.
   */
  missing(): readonly string[]
  stop(): Promise<void>
}

/** The metadata of one version for npm, and its location: a tarball, or the folder of an installed package. */
interface Release {
  readonly manifest: Manifest
  readonly path: string
  readonly send: (path: string, response: ServerResponse) => Promise<void>
}

interface Manifest {
  readonly name: string
  readonly version: string
  readonly optionalDependencies?: { readonly [name: string]: string }
  readonly [field: string]: unknown
}

/** Every version of every package. */
type Releases = ReadonlyMap<string, ReadonlyMap<string, Release>>

/**
 * Starts a registry for `npm install --registry <url>`: it needs no other network.
 *
 * Third-party packages come from this repository's `node_modules`, in all installed versions, and are packed on
 * request. Their metadata comes from the lock file, which also lists packages that are not installed here, such as
 * binaries for other systems: npm sees that they are for another system and does not request them.
 *
 * @param options.tarballs files made by `npm pack`; they take precedence over packages of the same name in
 * `node_modules`
 */
export async function startNpmRegistry(options: {
  readonly tarballs: readonly string[]
}): Promise<NpmRegistry> {
  const [packed, installed] = await Promise.all([
    Promise.all(options.tarballs.map(readTarball)),
    readInstalled(),
  ])
  const releases = byNameAndVersion([...optionalElsewhere(installed), ...installed, ...packed])
  const missing: string[] = []
  const { url, stop } = await serve((request, response) => {
    const { method = 'GET', headers } = request
    const path = decodeURIComponent(request.url ?? '/')
    if (method === 'GET' && answer(releases, path, { response, base: `http://${headers.host}` })) return
    missing.push(`${method} ${path}`)
    response.writeHead(404, JSON_TYPE).end('{"error":"not found"}')
  })
  return { url, missing: () => missing, stop }
}

const JSON_TYPE = { 'content-type': 'application/json' }

/** `/@farebox/cli` describes a package, `/@farebox/cli/-/0.1.0.tgz` is one. False if there is none. */
function answer(
  releases: Releases,
  path: string,
  to: { readonly response: ServerResponse; readonly base: string },
): boolean {
  const [, name = '', version] = /^\/((?:@[^/]+\/)?[^/]+)(?:\/-\/(.+)\.tgz)?$/.exec(path) ?? []
  const versions = releases.get(name)
  if (versions === undefined) return false
  if (version === undefined) {
    to.response.writeHead(200, JSON_TYPE).end(JSON.stringify(describe(name, versions, to.base)))
    return true
  }
  const release = versions.get(version)
  if (release === undefined || !existsSync(release.path)) return false
  to.response.writeHead(200, { 'content-type': 'application/octet-stream' })
  release.send(release.path, to.response).catch(() => to.response.destroy())
  return true
}

/** A packument, in npm's terms. */
function describe(name: string, versions: ReadonlyMap<string, Release>, base: string): object {
  const newest = [...versions.keys()]
    .sort((one, other) => one.localeCompare(other, 'en', { numeric: true }))
    .at(-1)
  const manifests = [...versions].map(([version, { manifest }]) => [
    version,
    { ...manifest, dist: { tarball: `${base}/${name}/-/${version}.tgz` } },
  ])
  return { name, 'dist-tags': { latest: newest }, versions: Object.fromEntries(manifests) }
}

async function readTarball(file: string): Promise<Release> {
  const { stdout } = await promisify(execFile)('tar', ['-xzOf', file, 'package/package.json'])
  return { manifest: JSON.parse(stdout) as Manifest, path: file, send: sendFile }
}

/** Third-party packages in the lock file; workspaces are links in it, and are left out. */
async function readInstalled(): Promise<readonly Release[]> {
  const lock = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: { readonly [path: string]: { readonly version?: string; readonly link?: true } }
  }
  return Object.entries(lock.packages).flatMap(([path, { version, link, ...fields }]) => {
    const [, name] = /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(path) ?? []
    if (name === undefined || version === undefined || link === true) return []
    // A package that is packed again has the same files and other bytes.
    const { integrity: _ofTheOriginal, ...rest } = fields as { readonly integrity?: string }
    return [{ manifest: { ...rest, name, version }, path: join(root, path), send: sendFolder }]
  })
}

/**
 * Packages for other systems that an installed package could use: the lock file omits those that no registry had. npm
 * needs their metadata, or it considers its new lock file broken.
 */
function optionalElsewhere(installed: readonly Release[]): readonly Release[] {
  const wanted = installed.flatMap(({ manifest }) => Object.entries(manifest.optionalDependencies ?? {}))
  return wanted.map(([name, range]) => ({
    manifest: { name, version: range.replace(/^[\^~]/, ''), os: ['another'] },
    path: '',
    send: sendFile,
  }))
}

async function sendFile(file: string, response: ServerResponse): Promise<void> {
  await pipeline(createReadStream(file), response)
}

/** Not compressed: npm accepts it, and it is much faster. Nested folders are packages of their own. */
async function sendFolder(folder: string, response: ServerResponse): Promise<void> {
  const name = basename(folder)
  const tar = spawn('tar', ['-cf', '-', '--exclude', `${name}/node_modules`, name], {
    cwd: dirname(folder),
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  await pipeline(tar.stdout, response)
}

function byNameAndVersion(list: readonly Release[]): Releases {
  const releases = new Map<string, Map<string, Release>>()
  for (const release of list) {
    const { name, version } = release.manifest
    const versions = releases.get(name) ?? new Map<string, Release>()
    releases.set(name, versions.set(version, release))
  }
  return releases
}
