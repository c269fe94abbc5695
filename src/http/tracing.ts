import { AsyncLocalStorage } from 'node:async_hooks'
import type { Server, ServerResponse } from 'node:http'
import { type Context, defaultTextMapGetter, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import type { Database } from '../core/db/database.ts'
import type { Exchange } from './call.ts'

/** Sends the traces of one daemon. */
export interface Tracing {
  /** From now on, makes a span for each request. It belongs to the trace that the request names in the header `traceparent`. */
  attachServer(server: Server): void
  /** From now on, makes a span for each statement that a request sends to the database. */
  attachDatabase(database: Database): void
  /** Sends the spans that are not sent yet. */
  stop(): Promise<void>
}

/** The route of a request. The server has stored it with the response. */
const routeOf = (res: ServerResponse): string =>
  (res as { locals?: { readonly exchange?: Exchange } }).locals?.exchange?.route ?? 'none'

/** The first word of a statement, such as SELECT. It is the name of the span. */
const nameOf = (sql: string) => /^\s*(\w+)/.exec(sql)?.[1]?.toUpperCase() ?? 'SQL'

/**
 * Sends traces to a collector with OTLP. The library reads its settings from the environment, such as OTEL_EXPORTER_OTLP_ENDPOINT and
 * OTEL_SERVICE_NAME. This module also loads the library, so the module is loaded only if traces are requested.
 */
export const startTracing = (version: string, serviceName = 'gatehouse'): Tracing => {
  const attributes = { 'service.name': serviceName, 'service.version': version }
  const provider = new TracerProvider({
    resource: defaultResource().merge(resourceFromAttributes(attributes)),
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter() })],
  })
  const tracer = provider.getTracer('gatehouse', version)
  const propagator = new W3CTraceContextPropagator()
  const current = new AsyncLocalStorage<Context>()

  const fail = (span: Span, error: unknown) => {
    span.setStatus({ code: SpanStatusCode.ERROR })
    span.setAttribute('error.type', (error as { code?: string }).code ?? (error as Error).name)
  }

  return {
    attachServer: (server) => {
      const [handle] = server.listeners('request')
      server.removeAllListeners('request')
      server.on('request', (req, res) => {
        const parent = propagator.extract(ROOT_CONTEXT, req.headers, defaultTextMapGetter)
        const method = req.method ?? ''
        const options = { kind: SpanKind.SERVER, attributes: { 'http.request.method': method } }
        const span = tracer.startSpan(method, options, parent)
        res.once('close', () => {
          const route = routeOf(res)
          span.updateName(`${method} ${route}`)
          span.setAttributes({ 'http.route': route, 'http.response.status_code': res.statusCode })
          const requestId = res.getHeader('x-request-id')
          if (typeof requestId === 'string') span.setAttribute('gatehouse.request_id', requestId)
          if (res.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
          span.end()
        })
        current.run(trace.setSpan(parent, span), () => handle?.call(server, req, res))
      })
    },
    attachDatabase: (database) => {
      const system = database.dialect === 'sqlite' ? 'sqlite' : 'postgresql'
      database.watch((sql) => {
        const parent = current.getStore()
        // Statements of jobs get no span, because jobs would make a trace every second.
        if (parent === undefined) return () => undefined
        const attributes = { 'db.system.name': system, 'db.query.text': sql }
        const span = tracer.startSpan(nameOf(sql), { kind: SpanKind.CLIENT, attributes }, parent)
        return (error) => {
          if (error !== undefined) fail(span, error)
          span.end()
        }
      })
    },
    stop: () => provider.shutdown(),
  }
}
