import type { ServerResponse } from 'node:http'
import type { KoaContextWithOIDC } from 'oidc-provider'
import { withQuery } from '../../core/web.ts'
import { codeDescriptions, isUnusedCookie } from './library.ts'

/** The address of the page that shows an error to a person. It is for errors that the application must not get. */
export const errorPage = (error: string, description: string, more: Readonly<Record<string, string | undefined>> = {}): string =>
  withQuery('/error', { error, error_description: description, ...more })

/** The id of the request, for `explain-sign-in --request`. */
const requestIdOf = (res: ServerResponse) => ({ request_id: String(res.getHeader('x-request-id') ?? '') })

/** The sent parameters that the page shows to developers. They are also part of the address of the request. */
const sentParameters = ['client_id', 'redirect_uri', 'response_type', 'scope'] as const

/**
 * The address of the error page with the sent parameters. It does not contain the registered values. The page requests those with the
 * rights of its viewer (docs/design/openid-provider.md#prompts-and-pages).
 */
export const errorPageOf = (ctx: KoaContextWithOIDC, error: string, description: string): string => {
  const params: Readonly<Record<string, unknown>> = ctx['oidc']?.params ?? {}
  const sent = sentParameters.map((name) => [name, params[name]] as const)
  const texts = sent.filter((pair): pair is [(typeof sentParameters)[number], string] => typeof pair[1] === 'string')
  const cut = texts.map(([name, value]) => [name, value.slice(0, 1_000)] as const)
  return errorPage(error, description, { ...requestIdOf(ctx.res), ...Object.fromEntries(cut) })
}

/** The query of a request's address. A question mark may be part of the query. */
export const searchOf = (url: string): string => {
  const at = url.indexOf('?')
  return at < 0 ? '' : url.slice(at + 1)
}

export const redirect = (res: ServerResponse, location: string) =>
  res.writeHead(303, { Location: location, 'Cache-Control': 'no-store', 'Content-Length': 0 }).end()

export const redirectToErrorPage = (res: ServerResponse, description: string, error = 'invalid_request') =>
  redirect(res, errorPage(error, description, requestIdOf(res)))

/** The largest length of a form that fits into an address that every proxy accepts. */
const longestForm = 8_000

/** A form that another site posts carries no session (`SameSite=Lax`). The browser therefore repeats the request by GET, with the session. */
export const repeatByGet = (res: ServerResponse, path: string, form: URLSearchParams) => {
  const query = form.toString()
  return query.length > longestForm
    ? redirectToErrorPage(res, 'the request is too long for an address')
    : redirect(res, `${path}?${query}`)
}

/** Extends the content policy of an answer that contains a form, so that the form can be sent to this address and be redirected from it. */
export const allowFormTo = (res: ServerResponse, sources: readonly string[], target: URL) => {
  const policy = String(res.getHeader('content-security-policy') ?? '')
  // A private scheme has no origin.
  const origin = target.origin === 'null' ? target.protocol : target.origin
  const formAction = `form-action ${[...sources, origin].join(' ')}`
  // The replacement is a function, because `$` would have a meaning in a text.
  res.setHeader(
    'Content-Security-Policy',
    policy.replace(/form-action [^;]*/, () => formAction),
  )
}

/** True for routes that browsers open. Their errors are shown on a page for people. */
export const isBrowserRoute = (ctx: KoaContextWithOIDC): boolean =>
  ctx['oidc']?.route === 'authorization' || ctx['oidc']?.route === 'resume' || isDeviceRoute(ctx)

/** True for the browser of a person who confirms a device. */
export const isDeviceRoute = (ctx: KoaContextWithOIDC): boolean =>
  ctx['oidc']?.route === 'code_verification' || ctx['oidc']?.route === 'device_resume'

/** Replaces the library's answer with an error: a page for people, JSON for programs. */
export const sendError = (ctx: KoaContextWithOIDC, status: number, error: string, description: string): void => {
  if (isBrowserRoute(ctx)) {
    ctx.status = 303
    ctx.redirect(errorPageOf(ctx, error, description))
    return
  }
  ctx.status = status
  ctx.body = { error, error_description: description }
}

/** Makes the browser repeat the request, because data that the request has read was changed meanwhile. */
export const retryRequest = (ctx: KoaContextWithOIDC): void => {
  ctx.remove('set-cookie')
  ctx.redirect(ctx.url)
}

/**
 * Changes parts of the library's answer: headers, the content policy for `form_post`, and the description and place of an error in the
 * address.
 */
export const finishAnswer = (ctx: KoaContextWithOIDC): void => {
  const { res } = ctx
  const params = ctx['oidc']?.params
  // The answer to a revocation is only its status (RFC 7009, section 2.2). Clients reject a content type other than JSON.
  if (ctx.body === '') ctx.remove('content-type')
  const cookies = res.getHeader('set-cookie')
  if (Array.isArray(cookies)) {
    const kept = cookies.filter((line) => !isUnusedCookie(line))
    if (kept.length === 0) res.removeHeader('set-cookie')
    else res.setHeader('set-cookie', kept)
  }
  const redirectUri = params?.['redirect_uri']
  if (params?.['response_mode'] === 'form_post' && typeof redirectUri === 'string' && URL.canParse(redirectUri))
    allowFormTo(res, [], new URL(redirectUri))
  // Adds a description of the error if the library has sent none.
  const plain = String(res.getHeader('location') ?? '')
  const described = plain.includes('error_description=') ? undefined : codeDescriptions[/[?&#]error=(\w+)/.exec(plain)?.[1] ?? '']
  if (described !== undefined) ctx.set('location', `${plain}&error_description=${encodeURIComponent(described)}`)
  // For unsupported response types the library puts the error into the fragment. An application that expects a code reads the query.
  const location = String(res.getHeader('location') ?? '')
  if (location.includes('#error=') && params?.['response_mode'] !== 'fragment') {
    const url = new URL(location)
    for (const [name, value] of new URLSearchParams(url.hash.slice(1))) url.searchParams.set(name, value)
    url.hash = ''
    ctx.set('location', url.href)
  }
}
