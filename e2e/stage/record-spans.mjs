// Loaded into a program before it starts, as an operator's own file would be: registers an SDK that appends spans to a file.
import { appendFileSync } from 'node:fs'
import { trace } from '@opentelemetry/api'
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base'

const exporter = {
  export(spans, done) {
    for (const span of spans) appendFileSync(process.env.SPANS_FILE, `${JSON.stringify(read(span))}\n`)
    done({ code: 0 })
  },
  shutdown: () => Promise.resolve(),
}

function read(span) {
  const { name, kind, attributes, status, parentSpanContext } = span
  const { traceId, spanId } = span.spanContext()
  return { traceId, spanId, parentId: parentSpanContext?.spanId, name, kind, attributes, status }
}

// Far longer than the test: the programs export their last spans when they stop.
const processor = new BatchSpanProcessor(exporter, { scheduledDelayMillis: 600_000 })
trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [processor] }))
