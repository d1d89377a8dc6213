"""The course as static pages: to read with a browser alone, from a server or from a folder."""
