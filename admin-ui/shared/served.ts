/** True for an image that is served here; the content policy shows no other. */
export const isServedHere = (image: string | null): image is string => image?.startsWith(`${location.origin}/images/`) === true
