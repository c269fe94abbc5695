/** What the API document says besides the contract. */
export const pictureDocumentation = {
  setPicture: {
    description:
      'The body is the file: PNG, JPEG, WebP, GIF or AVIF, up to 5 MB and 25 million pixels, whatever its name and type. What is kept is a square of ' +
      '512 pixels without metadata; its address becomes `image` of the user, another one for each picture.',
    example: { response: { image: 'https://id.example.com/images/Vt3kQ0xZ8nLw2sYcVt3kQ0xZ8nLw2sYc' } },
  },
}
