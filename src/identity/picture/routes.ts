import { bind, documented } from '../../http/handlers.ts'
import { pictureContract } from './contract.ts'
import { pictureDocumentation } from './documentation.ts'
import type { createPictures } from './service.ts'

export const pictureRoutes = (pictures: ReturnType<typeof createPictures>) =>
  bind(documented(pictureContract, pictureDocumentation), {
    setPicture: async (principal, { body }) => ({ image: await pictures.set(principal, body) }),
    removePicture: async (principal) => {
      await pictures.remove(principal)
      return { status: true }
    },
  })
