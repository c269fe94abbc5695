import type { ServerResponse } from 'node:http'
import type { KoaContextWithOIDC } from 'oidc-provider'
import { withQuery } from '../../core/web.ts'
import { codeDescriptions, isUnusedCookie } from './library.ts'

/** The URL of the page that shows an error to a person. It is used for errors that must not be sent to the application. */
export const errorPage = (error: string, description: string, more: Readonly<Record<string, string | undefined>> = {}): string =>
  withQuery('/error', { error, error_description: description, ...more })

/** The id of the request, for `explain-sign-in --request`. */
const requestIdOf = (res: ServerResponse) => ({ request_id: String(res.getHeader('x-request-id') ?? '') })

/** Parameters of the request that the error page shows to developers. They are also visible in the URL of the request. */
const sentParameters = ['client_id', 'redirect_uri', 'response_type', 'scope'] as const

/**
 * The URL of the error page, with parameters of the request. The registered values of the application are not part of the URL. The page
 * loads them with the permissions of the person who looks at it (docs/design/openid-provider.md#prompts-and-pages).
 */
export const errorPageOf = (ctx: KoaContextWithOIDC, error: string, description: string): string => {
  const params: Readonly<Record<string, unknown>> = ctx['oidc']?.params ?? {}
  const sent = sentParameters.map((name) => [name, params[name]] as const)
  const texts = sent.filter((pair): pair is [(typeof sentParameters)[number], string] => typeof pair[1] === 'string')
  const cut = texts.map(([name, value]) => [name, value.slice(0, 1_000)] as const)
  return errorPage(error, description, { ...requestIdOf(ctx.res), ...Object.fromEntries(cut) })
}

/** The query of a request's URL. It begins after the first question mark, and may contain more question marks. */
export const searchOf = (url: string): string => {
  const at = url.indexOf('?')
  return at < 0 ? '' : url.slice(at + 1)
}

export const redirect = (res: ServerResponse, location: string) =>
  res.writeHead(303, { Location: location, 'Cache-Control': 'no-store', 'Content-Length': 0 }).end()

export const redirectToErrorPage = (res: ServerResponse, description: string, error = 'invalid_request') =>
  redirect(res, errorPage(error, description, requestIdOf(res)))

/** The largest length in characters of a form that is turned into a URL. Every proxy accepts URLs of this length. */
const longestForm = 8_000

/**
 * A form that another site posts is sent without the session cookie (`SameSite=Lax`). This answer makes the browser repeat the request by
 * GET, with the cookie.
 */
export const repeatByGet = (res: ServerResponse, path: string, form: URLSearchParams) => {
  const query = form.toString()
  return query.length > longestForm
    ? redirectToErrorPage(res, 'the request is too long for an address')
    : redirect(res, `${path}?${query}`)
}

/** Extends the content security policy of an answer with a form. The form can then be sent to these URLs and be redirected from them. */
export const allowFormTo = (res: ServerResponse, sources: readonly string[], target: URL) => {
  const policy = String(res.getHeader('content-security-policy') ?? '')
  // A URL with a private scheme has no origin, so the scheme itself is used.
  const origin = target.origin === 'null' ? target.protocol : target.origin
  const formAction = `form-action ${[...sources, origin].join(' ')}`
  // The replacement is a function, because `$` has a special meaning in a replacement text.
  res.setHeader(
    'Content-Security-Policy',
    policy.replace(/form-action [^;]*/, () => formAction),
  )
}

/** True for routes that a browser opens. Errors of these routes are shown on a page. */
export const isBrowserRoute = (ctx: KoaContextWithOIDC): boolean =>
  ctx['oidc']?.route === 'authorization' || ctx['oidc']?.route === 'resume' || isDeviceRoute(ctx)

/** True if the request comes from the browser of a person who confirms a device. */
export const isDeviceRoute = (ctx: KoaContextWithOIDC): boolean =>
  ctx['oidc']?.route === 'code_verification' || ctx['oidc']?.route === 'device_resume'

/** Replaces the library's answer by an error: a page for a browser, JSON for a program. */
export const sendError = (ctx: KoaContextWithOIDC, status: number, error: string, description: string): void => {
  if (isBrowserRoute(ctx)) {
    ctx.status = 303
    ctx.redirect(errorPageOf(ctx, error, description))
    return
  }
  ctx.status = status
  ctx.body = { error, error_description: description }
}

/** Makes the browser repeat the request, because another request has changed data that this request read. */
export const retryRequest = (ctx: KoaContextWithOIDC): void => {
  ctx.remove('set-cookie')
  ctx.redirect(ctx.url)
}

/**
 * Adjusts the library's answer: its headers, the content security policy for `form_post`, the description of an error, and the place of
 * an error in the redirect URI.
 */
export const finishAnswer = (ctx: KoaContextWithOIDC): void => {
  const { res } = ctx
  const params = ctx['oidc']?.params
  // The answer to a revocation has no body (RFC 7009, section 2.2). Clients reject its content type if it is not JSON.
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
  // Adds a description to an error for which the library has sent none.
  const plain = String(res.getHeader('location') ?? '')
  const described = plain.includes('error_description=') ? undefined : codeDescriptions[/[?&#]error=(\w+)/.exec(plain)?.[1] ?? '']
  if (described !== undefined) ctx.set('location', `${plain}&error_description=${encodeURIComponent(described)}`)
  // For an unsupported response type the library puts the error into the fragment. The error is moved to the query, because an
  // application that expects a code reads only the query.
  const location = String(res.getHeader('location') ?? '')
  if (location.includes('#error=') && params?.['response_mode'] !== 'fragment') {
    const url = new URL(location)
    for (const [name, value] of new URLSearchParams(url.hash.slice(1))) url.searchParams.set(name, value)
    url.hash = ''
    ctx.set('location', url.href)
  }
}
