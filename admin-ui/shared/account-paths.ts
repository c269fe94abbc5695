/** The section of the account area where sign-in methods and second factors are added. */
export const signInMethodsPath = '/account/linked'

/** Where a second factor is added: the ways in, with the first step of it open. */
export const enrolPath = `${signInMethodsPath}?enrol`

/** The same, and back to a page of the account area afterwards. */
export const enrolPathFrom = (path: string): string => `${enrolPath}&${new URLSearchParams({ back: path })}`

/** Where one came from to add a second factor; undefined for what is no page of the account area. */
export const backFrom = (query: URLSearchParams): string | undefined => {
  const path = query.get('back') ?? ''
  return /^\/account(\/[\w/-]*)?$/.test(path) ? path : undefined
}
