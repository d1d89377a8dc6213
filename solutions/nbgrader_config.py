"""What nbgrader is told for this course: copy it into the folder of the class."""

c = get_config()  # noqa: F821 (nbgrader gives it)

# A student's split, copied or deleted cell is named and mended before it is graded.
c.Autograde.pre_convert_hook = "engine.course.handed_in.mend"
