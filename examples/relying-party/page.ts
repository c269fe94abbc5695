import type { RequestHandler } from 'express'
import type { SignedIn } from './sessions.ts'

/** Text that is already HTML. */
class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

type Part = Html | string | readonly Html[]

const write = (part: Part): string => {
  if (part instanceof Html) return part.text
  return typeof part === 'string' ? part.replace(/[&<>"']/g, (sign) => escapes[sign] ?? sign) : part.map(write).join('')
}

/** Builds HTML. It escapes every part, except a part that `html` itself has built. */
const html = (strings: TemplateStringsArray, ...parts: readonly Part[]): Html =>
  new Html(strings.reduce((before, after, i) => before + write(parts[i - 1] ?? '') + after))

const none = html``

const layout = (title: string, body: Html): string =>
  html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${title}</title>
    <link rel="stylesheet" href="/style.css">
    <link rel="icon" href="data:,">
  </head>
  <body>
    <header><a class="brand" href="/">Example application</a></header>
    <main>${body}</main>
    <footer>Not part of gatehouse: an application that lets people in through it.</footer>
  </body>
</html>
`.text

/** The dates of tokens are seconds since 1970. Every other value is shown as JSON. */
const shownAs = (name: string, value: unknown): string => {
  if (['iat', 'exp', 'auth_time', 'updated_at'].includes(name) && typeof value === 'number')
    return `${value} (${new Date(value * 1000).toISOString()})`
  return typeof value === 'string' ? value : JSON.stringify(value)
}

const table = (caption: string, values: object): Html => {
  const rows = Object.entries(values).map(
    ([name, value]) => html`<tr><th scope="row"><code>${name}</code></th><td>${shownAs(name, value)}</td></tr>`,
  )
  return html`<table><caption>${caption}</caption><tbody>${rows}</tbody></table>`
}

/** The first part of a token, which says how the token is signed. */
const headerOf = (token: string): object => JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString('utf8'))

const stringOf = (value: unknown): string => (typeof value === 'string' ? value : '')

const button = (action: string, text: string, kind: 'plain' | 'main' = 'plain'): Html =>
  html`<form method="post" action="${action}"><button class="${kind}">${text}</button></form>`

const welcome = (issuer: string): Html => html`
  <h1>Who goes there?</h1>
  <p class="lead">This application has no passwords of its own. It asks gatehouse who you are.</p>
  <p class="row">
    <a class="button main" href="/login">Sign in with gatehouse</a>
    <a class="button" href="/login?organization">Sign in for an organization</a>
  </p>
  <p class="quiet">You will be sent to <code>${new URL(issuer).host}</code> and come back here.</p>`

/** The address of a sign-in that requests a refresh token, for the organization that the person chose before. */
const renewing = (claims: SignedIn['claims']): string => {
  const organization = stringOf(claims['org_id'])
  return organization === '' ? '/login?lasting' : `/login?lasting&organization=${encodeURIComponent(organization)}`
}

interface Home {
  readonly issuer: string
  readonly signedIn: SignedIn | undefined
  /** True if gatehouse can also end its own session. */
  readonly canEndSession: boolean
  readonly userinfo: object | undefined
  readonly renewed: boolean
}

const account = ({
  signedIn: { claims, person, idToken, refreshToken, scope, expiresAt },
  ...home
}: Home & { signedIn: SignedIn }) => html`
  <h1>Hello, <span data-testid="name">${stringOf(person.name) || 'stranger'}</span></h1>
  ${claims['org_name'] === undefined ? none : html`<p class="lead">You are here for <strong>${stringOf(claims['org_name'])}</strong>.</p>`}
  <p class="lead" data-testid="email">${stringOf(person.email)}</p>
  ${home.renewed ? html`<p class="note" role="status">Tokens renewed.</p>` : none}
  <section aria-labelledby="claims">
    <h2 id="claims">The ID token says</h2>
    <p class="quiet">Signature, issuer, audience, nonce and lifetime have been checked.</p>
    ${table('Claims of the ID token', claims)}
    <details><summary>The token itself</summary>${table('Header', headerOf(idToken))}<pre tabindex="0">${idToken}</pre></details>
  </section>
  <section aria-labelledby="access">
    <h2 id="access">The access token lets us ask</h2>
    ${table('Access token', { scope: scope ?? '', 'valid until': expiresAt.toISOString() })}
    ${home.userinfo === undefined ? none : table('Answer of the userinfo endpoint', home.userinfo)}
    <div class="row">
      <a class="button" href="/userinfo">Ask userinfo</a>
      ${refreshToken === undefined ? html`<a class="button" href="${renewing(claims)}">Allow renewing</a>` : button('/refresh', 'Renew tokens')}
    </div>
  </section>
  <section aria-labelledby="leave">
    <h2 id="leave">Leave</h2>
    <div class="row">
      ${button('/logout', 'Sign out', 'main')}
      ${home.canEndSession ? button('/logout/everywhere', 'Sign out of gatehouse too') : none}
    </div>
  </section>`

/** The only page. It offers the sign-in, or shows what is known about the person. */
export const homePage = ({ signedIn, ...home }: Home): string =>
  layout('Example application', signedIn === undefined ? welcome(home.issuer) : account({ ...home, signedIn }))

export const errorPage = (message: string): string =>
  layout(
    'Not signed in · Example application',
    html`<h1>Not signed in</h1><p class="lead">${message}</p><p><a class="button main" href="/">Back to the start</a></p>`,
  )

/** The page loads nothing from other servers and runs no script. Its forms may lead to gatehouse, where signing out continues. */
export const securityHeaders = (endSession: string | undefined): RequestHandler => {
  const formAction = ["'self'", ...(endSession === undefined ? [] : [new URL(endSession).origin])].join(' ')
  const policy = `default-src 'none'; style-src 'self'; img-src data:; form-action ${formAction}; frame-ancestors 'none'; base-uri 'none'`
  return (_, res, next) => {
    res.set({
      'Content-Security-Policy': policy,
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
      'Cache-Control': 'no-store',
    })
    next()
  }
}
