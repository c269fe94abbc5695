import { sha256 } from '../core/crypto.ts'
import { coreErrors } from '../core/errors.ts'
import { FileContent } from '../http/contract.ts'
import { bind } from '../http/handlers.ts'
import { brandContract } from './contract.ts'
import type { BrandService } from './service.ts'

export const brandRoutes = (brand: BrandService) => {
  const fileOf = (mediaType: string, bytes: Buffer, asked: string | undefined, version: string) =>
    new FileContent({ mediaType, bytes, tag: version, isImmutable: asked === version, isShared: false })
  return bind(brandContract, {
    brandStyles: (_principal, { query: { v, color } }) => {
      const { version } = brand.current()
      const named = color === undefined ? undefined : `#${color}`
      return new FileContent({
        ...{ mediaType: 'text/css; charset=utf-8', bytes: Buffer.from(brand.styles(named)), isShared: false },
        ...{ tag: color === undefined ? version : `${version}-${color}`, isImmutable: v === version },
      })
    },
    brandFont: (_principal, { query: { v } }) => {
      const font = brand.font()
      if (font === undefined) throw coreErrors.error('NOT_FOUND')
      return fileOf('font/woff2', font, v, sha256(font).slice(0, 16))
    },
  })
}
