import type { ServerResponse } from 'node:http'

/** The query of a request's address; a question mark may be part of it. */
export const searchOf = (url: string): string => {
  const at = url.indexOf('?')
  return at < 0 ? '' : url.slice(at + 1)
}

export const redirect = (res: ServerResponse, location: string) =>
  res.writeHead(303, { Location: location, 'Cache-Control': 'no-store', 'Content-Length': 0 }).end()

/** Sends the browser to the error page: the application must not get it. */
export const refuse = (res: ServerResponse, description: string) =>
  redirect(res, `/error?${new URLSearchParams({ error: 'invalid_request', error_description: description })}`)

/** Longest form that fits into an address every proxy lets through. */
const longestForm = 8_000

/** A form of another site carries no session (`SameSite=Lax`): the browser asks the same by GET, with it. */
export const goOnByGet = (res: ServerResponse, path: string, form: URLSearchParams) => {
  const query = form.toString()
  return query.length > longestForm ? refuse(res, 'the request is too long for an address') : redirect(res, `${path}?${query}`)
}
