/** The section of the account area for sign-in methods and second factors. */
export const signInMethodsPath = '/account/linked'

/** The page for adding a second factor. It is the section of sign-in methods with the first step open. */
export const enrolPath = `${signInMethodsPath}?enrol`

/** The page for adding a second factor, which returns to the given page of the account area. */
export const enrolPathFrom = (path: string): string => `${enrolPath}&${new URLSearchParams({ back: path })}`

/** The page to return to after a second factor was added. Undefined if it is outside of the account area. */
export const backFrom = (query: URLSearchParams): string | undefined => {
  const path = query.get('back') ?? ''
  return /^\/account(\/[\w/-]*)?$/.test(path) ? path : undefined
}
