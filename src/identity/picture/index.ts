import { reactTo } from '../../core/events/record.ts'
import { type Base, type Built, defineFeature } from '../../feature.ts'
import type { Images } from '../../images/index.ts'
import { userEvents } from '../users/events.ts'
import type { Users } from '../users/index.ts'
import { pictureRoutes } from './routes.ts'
import { createPictures } from './service.ts'

interface Needs {
  readonly users: Users
  readonly images: Images
}

/** The picture of a user, uploaded and served here. */
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
