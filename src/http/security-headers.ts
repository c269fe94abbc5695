import helmet from 'helmet'

const contentPolicy = {
  useDefaults: false,
  directives: {
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'"],
    styleSrc: ["'self'"],
    imgSrc: ["'self'", 'data:'],
    fontSrc: ["'self'"],
    connectSrc: ["'self'"],
    frameAncestors: ["'none'"],
    baseUri: ["'none'"],
    objectSrc: ["'none'"],
    formAction: ["'self'"],
  },
}

/** Security headers are the same for every answer: helmet computes them once. */
export const securityHeaders = (https: boolean): readonly (readonly [string, string])[] => {
  const headers: [string, string][] = []
  const collect = { setHeader: (name: string, value: string) => headers.push([name, value]), removeHeader: () => undefined }
  helmet({
    contentSecurityPolicy: contentPolicy,
    referrerPolicy: { policy: 'no-referrer' },
    crossOriginResourcePolicy: { policy: 'same-origin' },
    strictTransportSecurity: https ? { maxAge: 31_536_000, includeSubDomains: true } : false,
    xFrameOptions: { action: 'deny' },
  })({} as never, collect as never, () => undefined)
  return headers
}
