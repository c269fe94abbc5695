import { FileContent } from '../http/contract.ts'
import { bind } from '../http/handlers.ts'
import { imageContract } from './contract.ts'
import type { Images } from './service.ts'

export const imageRoutes = (images: Images) =>
  bind(imageContract, {
    getImage: async (_principal, { params: { id } }) => {
      const { mediaType, bytes } = await images.read(id)
      return new FileContent({ mediaType, bytes, tag: id, isImmutable: true, isShared: true })
    },
  })
