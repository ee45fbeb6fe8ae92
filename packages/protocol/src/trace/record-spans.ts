import type * as OpenTelemetry from '@opentelemetry/api'
import { systemClock } from '../time/clock.ts'
import { within } from '../time/within.ts'
import { setSpanRecorder, type SpanAttributes, type SpanKind, type SpanRecorder } from './spans.ts'
import type { Trace } from './traceparent.ts'

/** Longer than a collector on the same network needs, and much shorter than the time limit of a stop. */
const MAX_FLUSH_MS = 2_000

/**
 * Records the spans of this process with the OpenTelemetry API, where that package is installed and the operator has
 * registered an SDK before the program was loaded. Otherwise nothing is recorded, at no cost.
 *
 * @returns exports the spans that the SDK still holds, before the process ends. Never rejects.
 */
export async function recordSpans(): Promise<() => Promise<void>> {
  // Loading the API takes longer than all other steps of a start, so it is loaded for a registered SDK only.
  if (!isSdkRegistered()) return () => Promise.resolve()
  const api = await loadApi()
  if (api === undefined) return () => Promise.resolve()
  setSpanRecorder(createRecorder(api))
  return async () => {
    // The exporter reports its own failures.
    await within(systemClock, MAX_FLUSH_MS, flush(api)).catch(() => undefined)
  }
}

/** The place where all copies of version 1 of the API keep the SDK that was registered. */
const API_GLOBAL = Symbol.for('opentelemetry.js.api.1')

function isSdkRegistered(): boolean {
  const shared = (globalThis as { readonly [API_GLOBAL]?: { readonly trace?: unknown } })[API_GLOBAL]
  return shared?.trace !== undefined
}

async function loadApi(): Promise<typeof OpenTelemetry | undefined> {
  try {
    return await import('@opentelemetry/api')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND') return undefined
    throw error
  }
}

function createRecorder(api: typeof OpenTelemetry): SpanRecorder {
  const tracer = api.trace.getTracer('farebox')
  const kinds = { server: api.SpanKind.SERVER, client: api.SpanKind.CLIENT, internal: api.SpanKind.INTERNAL }
  return {
    start(kind: SpanKind, name: string, trace: Trace, attributes: SpanAttributes) {
      const parentId = trace.spanId ?? trace.parentId
      const span = tracer.startSpan(
        name,
        { kind: kinds[kind], attributes: { ...attributes } },
        parentId === undefined ? api.ROOT_CONTEXT : contextOf(api, trace, parentId),
      )
      const { traceId: id, spanId, traceFlags } = span.spanContext()
      return {
        trace: {
          id,
          parentId: trace.parentId,
          spanId,
          isSampled: (traceFlags & api.TraceFlags.SAMPLED) !== 0,
        },
        end(more = {}, errorType) {
          span.setAttributes({ ...more, ...(errorType !== undefined && { 'error.type': errorType }) })
          if (errorType !== undefined) span.setStatus({ code: api.SpanStatusCode.ERROR })
          span.end()
        },
      }
    },
  }
}

function contextOf(api: typeof OpenTelemetry, trace: Trace, spanId: string): OpenTelemetry.Context {
  return api.trace.setSpanContext(api.ROOT_CONTEXT, {
    traceId: trace.id,
    spanId,
    traceFlags: trace.isSampled ? api.TraceFlags.SAMPLED : api.TraceFlags.NONE,
    isRemote: trace.spanId === undefined,
  })
}

/**
 * The API has no flush: its provider has one. The provider may come from another copy of the API, so its class cannot
 * be checked.
 */
async function flush(api: typeof OpenTelemetry): Promise<void> {
  const proxy = api.trace.getTracerProvider() as Flushable
  const provider = proxy.getDelegate?.() ?? proxy
  await provider.forceFlush?.()
}

interface Flushable {
  getDelegate?(): Flushable
  forceFlush?(): Promise<void>
}
