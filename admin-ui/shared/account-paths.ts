/** The section of the account area where sign-in methods and second factors are added. */
export const signInMethodsPath = '/account/linked'

/** The page for adding a second factor: the sign-in methods, with its first step open. */
export const enrolPath = `${signInMethodsPath}?enrol`

/** The page for adding a second factor, with a return to a page of the account area. */
export const enrolPathFrom = (path: string): string => `${enrolPath}&${new URLSearchParams({ back: path })}`

/** The page to return to after adding a second factor; undefined for one outside of the account area. */
export const backFrom = (query: URLSearchParams): string | undefined => {
  const path = query.get('back') ?? ''
  return /^\/account(\/[\w/-]*)?$/.test(path) ? path : undefined
}
