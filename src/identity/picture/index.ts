import { reactTo } from '../../core/events/record.ts'
import { type Base, type Built, defineFeature } from '../../feature.ts'
import { bind, documented } from '../../http/handlers.ts'
import type { Images } from '../../images/index.ts'
import { userEvents } from '../users/contract.ts'
import type { Users } from '../users/index.ts'
import { pictureContract, pictureDocumentation } from './contract.ts'
import { createPictures } from './service.ts'

const pictureRoutes = (pictures: ReturnType<typeof createPictures>) =>
  bind(documented(pictureContract, pictureDocumentation), {
    setPicture: async (principal, { body }) => ({ image: await pictures.set(principal, body) }),
    removePicture: async (principal) => {
      await pictures.remove(principal)
      return { status: true }
    },
  })

interface Needs {
  readonly users: Users
  readonly images: Images
}

/** Stores pictures that users upload, and serves them. */
export const pictureFeature = defineFeature({
  name: 'picture',
  build: (base: Base, _config: object, needs: Needs) => {
    const pictures = createPictures({ ...base, ...needs })
    return {
      api: {},
      routes: pictureRoutes(pictures),
      reactions: [
        reactTo(userEvents['user.updated'], async (tx, { subjectId, data }) => {
          if (data.fields.includes('image')) await pictures.forgetUnused(tx, subjectId)
        }),
        reactTo(userEvents['user.deleted'], async (tx, { subjectId: ownerId }) => {
          await needs.images.remove(tx, { kind: 'user-picture', ownerId })
        }),
      ],
    } satisfies Built
  },
})
