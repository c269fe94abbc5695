/** True for an image from this server; the content policy allows no other. */
export const isServedHere = (image: string | null): image is string => image?.startsWith(`${location.origin}/images/`) === true
